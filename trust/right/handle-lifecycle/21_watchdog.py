# A timer task finds the loss at the deadline itself, so that on_lost need not wait for a call.
from leasehold import Signal, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._acquired = False
        self._token = None
        self._deadline = None
        self._over = Signal()
        self.state = "acquiring"
        self.fencing_token = None

    def _end(self, how):
        self.state = how
        self._over.set()
        if how == "lost" and self._on_lost is not None:
            self._on_lost()

    async def _watch(self):
        while self._look():
            await self._over.wait(self._deadline - self._clock())

    def _look(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self._end("lost")
        return self.state == "held"

    async def acquire(self):
        if self._acquired or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._acquired = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._end("released")
            raise
        if grant is None:
            self._end("released")
            return False
        if self.state == "released" or self._clock() >= deadline:
            self._end("released")
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
            return False
        self._token, self._deadline = grant.ownership_token, deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        spawn(self._watch())
        return True

    async def renew(self):
        if not self._look():
            return False
        deadline = self._clock() + self._ttl
        try:
            answer = await self._service.renew(self._name, self._token, self._ttl)
        except BaseException:
            self._look()
            raise
        if not self._look():
            return False
        if not answer:
            self._end("lost")
            return False
        self._deadline = max(self._deadline, deadline)
        return True

    async def release(self):
        if self.state == "acquiring":
            self._end("released")
        if not self._look():
            return False
        self._end("released")
        return await self._service.release(self._name, self._token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
