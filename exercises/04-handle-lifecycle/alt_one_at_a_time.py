# Requests go out one after the other. A release is noted at once, and sent when no renewal is under way any more.
from leasehold import Mutex, TransportError


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._line = Mutex()
        self._unused = True
        self._token = None
        self._deadline = float("-inf")
        self.fencing_token = None
        self.state = "acquiring"

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    def _check(self, answer=True):
        """Whether it is held still, after this answer and at this time."""
        if self.state == "held" and not (answer and self.is_held()):
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
        return self.state == "held"

    async def acquire(self):
        if not self._unused or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._unused = False
        grant, deadline = None, self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        finally:
            wanted = self.state == "acquiring"
            self.state = "held" if wanted and grant and self._clock() < deadline else "released"
        if self.state == "held":
            self._token, self.fencing_token, self._deadline = grant.ownership_token, grant.fencing_token, deadline
        elif grant and not wanted:
            try:
                await self._service.release(self._name, grant.ownership_token)
            except TransportError:
                pass
        return self.state == "held"

    async def renew(self):
        if not self._check():
            return False
        async with self._line:
            if not self._check():
                return False
            sent = self._clock()
            try:
                renewed = await self._service.renew(self._name, self._token, self._ttl)
            except TransportError:
                if self._check():
                    raise
                return False
            if self._check(renewed):
                self._deadline = sent + self._ttl
                return True
            return False

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
        if not self._check():
            return False
        self.state = "released"
        async with self._line:
            return await self._service.release(self._name, self._token)

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, *exception):
        try:
            await self.release()
        except TransportError:
            pass
