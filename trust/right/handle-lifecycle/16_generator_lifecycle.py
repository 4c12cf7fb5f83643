# The life of a handle is one generator: where it is suspended is the state, and it is sent what happens.
from contextlib import suppress


class NotAcquired(Exception):
    pass


def life(handle):
    """Is sent (event, argument) and yields the state. Ends never: the last state takes everything."""
    event, argument = yield "acquiring"
    while event == "nothing":
        event, argument = yield "acquiring"
    if event == "granted":
        handle.fencing_token = argument.fencing_token
        while True:
            event, argument = yield "held"
            if event in ("rejected", "late", "let go"):
                break
    end = "lost" if event in ("rejected", "late") else "released"
    while True:
        yield end


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl, self._on_lost = service, clock, name, ttl, on_lost
        self.fencing_token = None
        self._asked = False
        self._deadline = None
        self._token = None
        self._life = life(self)
        self.state = next(self._life)

    def _happens(self, event, argument=None):
        before = self.state
        self.state = self._life.send((event, argument))
        if before != self.state == "lost" and self._on_lost is not None:
            self._on_lost()
        return self.state == "held"

    def _look(self):
        return self._happens("late" if self.state == "held" and self._clock() >= self._deadline else "nothing")

    async def acquire(self):
        if self._asked or self.state != "acquiring":
            raise RuntimeError("one handle, one acquire")
        self._asked = True
        sent = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._happens("failed")
            raise
        if grant is None or self._clock() >= sent + self._ttl:
            return self._happens("refused")
        if self.state == "acquiring":
            self._token, self._deadline = grant.ownership_token, sent + self._ttl
            return self._happens("granted", grant)
        with suppress(Exception):
            await self._service.release(self._name, grant.ownership_token)
        return False

    async def renew(self):
        if not self._look():
            return False
        sent = self._clock()
        try:
            renewed = await self._service.renew(self._name, self._token, self._ttl)
        except BaseException:
            self._look()
            raise
        if not self._look() or not self._happens("nothing" if renewed else "rejected"):
            return False
        self._deadline = max(self._deadline, sent + self._ttl)
        return True

    async def release(self):
        held = self._look()
        self._happens("let go")
        return held and await self._service.release(self._name, self._token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        with suppress(BaseException):
            await self.release()
