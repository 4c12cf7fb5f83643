# A list of what happened is the only thing that is kept; state, deadline and tokens are read off it.
class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._ends = {"released": lambda: None, "lost": on_lost or (lambda: None)}
        self._ask = {
            "acquire": lambda: service.acquire(name, ttl),
            "renew": lambda: service.renew(name, self._grant().ownership_token, ttl),
            "release": lambda grant=None: service.release(name, (grant or self._grant()).ownership_token),
        }
        self._clock, self._ttl = clock, ttl
        self._happened = []

    def _all(self, kind):
        return [what for event, what in self._happened if event == kind]

    def _grant(self):
        return next(iter(self._all("granted")), None)

    def _deadline(self):
        return max(self._all("counted from")) + self._ttl

    @property
    def state(self):
        ends = self._all("ended")
        return ends[0] if ends else "held" if self._grant() else "acquiring"

    @property
    def fencing_token(self):
        return self._grant().fencing_token if self._grant() else None

    def _end(self, how):
        if not self._all("ended"):
            self._happened.append(("ended", how))
            self._ends[how]()
        return False

    def _held(self):
        if self.state == "held" and not self.is_held():
            self._end("lost")
        return self.state == "held"

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline()

    async def acquire(self):
        if self._happened:
            raise RuntimeError("something happened already")
        sent = self._clock()
        self._happened.append(("asked", sent))
        try:
            grant = await self._ask["acquire"]()
        except BaseException:
            self._end("released")
            raise
        if grant is None:
            return self._end("released")
        if self.state == "acquiring" and self._clock() < sent + self._ttl:
            self._happened += [("counted from", sent), ("granted", grant)]
            return True
        self._end("released")
        try:
            await self._ask["release"](grant)
        except Exception:
            pass
        return False

    async def renew(self):
        if not self._held():
            return False
        sent = self._clock()
        try:
            answer = await self._ask["renew"]()
        except BaseException:
            self._held()
            raise
        if not self._held():
            return False
        if not answer:
            return self._end("lost")
        self._happened.append(("counted from", sent))
        return True

    async def release(self):
        if not self._held():
            return self._end("released")
        self._end("released")
        return await self._ask["release"]()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except Exception:
            pass
