# killed-by: a_grant_for_a_released_handle_is_given_back
# bug: release() finds nothing to release while the request is under way; then the grant comes and the handle is held, by nobody.
# report: redisson/redisson#7272
from leasehold import TransportError


class NotAcquired(Exception):
    """Raised by `async with` when the lock could not be had."""


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._asked = False
        self._grant = None
        self._deadline = None
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if self._asked or self.state != "acquiring":
            raise RuntimeError("a LockHandle is used once: make a new one")
        self._asked = True
        sent = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
            return False
        if self._clock() >= sent + self._ttl:
            self.state = "released"
            await self._give_back(grant)
            return False
        self._grant = grant
        self._deadline = sent + self._ttl
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    async def _give_back(self, grant):
        try:
            await self._service.release(self._name, grant.ownership_token)
        except TransportError:
            pass

    async def renew(self):
        if not self._still_held():
            return False
        sent = self._clock()
        try:
            renewed = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except TransportError:
            if not self._still_held():
                return False
            raise
        if not self._still_held():
            return False
        if not renewed:
            self._lose()
            return False
        self._deadline = max(self._deadline, sent + self._ttl)
        return True

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
            return False
        if not self._still_held():
            return False
        self.state = "released"
        return await self._service.release(self._name, self._grant.ownership_token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    def _still_held(self):
        """Held, and in time. One whose deadline has passed is lost here."""
        if self.state == "held" and self._clock() >= self._deadline:
            self._lose()
        return self.state == "held"

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(f"{self._name} was refused")
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except TransportError:
            pass
