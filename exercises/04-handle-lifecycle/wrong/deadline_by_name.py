# killed-by: the_deadline_counts_from_before_the_request
# bug: Deadlines are kept on the class by name: a new handle prolongs the old one's.
from leasehold import TransportError


class NotAcquired(Exception):
    """Raised by `async with` when the lock could not be had."""


class LockHandle:
    _deadlines = {}

    @property
    def _deadline(self):
        return self._deadlines.get(self._name)

    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._grant = None
        self._used = False
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if self._used or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._used = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
            return False
        if self.state != "acquiring":
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
            return False
        if self._clock() >= deadline:
            self.state = "released"
            return False
        self._grant = grant
        self._deadlines[self._name] = deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def renew(self):
        if self.state != "held":
            return False
        sent = self._clock()
        if sent >= self._deadline:
            self._lose()
            return False
        try:
            ok = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except BaseException:
            if self.state == "held" and self._clock() >= self._deadline:
                self._lose()
            raise
        if self.state != "held":
            return False
        if self._clock() >= self._deadline or not ok:
            self._lose()
            return False
        self._deadlines[self._name] = max(self._deadline, sent + self._ttl)
        return True

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
            return False
        if self.state != "held":
            return False
        if self._clock() >= self._deadline:
            self._lose()
            return False
        self.state = "released"
        return await self._service.release(self._name, self._grant.ownership_token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except Exception:
            pass
        return False
