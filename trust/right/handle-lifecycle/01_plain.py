# Plain attributes and early returns; errors of renewals always go on, late grants are left to run out.
class NotAcquired(Exception):
    """Raised by `async with` when the lock could not be had."""


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._used = False
        self._token = None
        self._deadline = None
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
        if grant is None or self._clock() >= deadline:
            self.state = "released"
            return False
        if self.state == "released":
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass    # it runs out by itself
            return False
        self._token = grant.ownership_token
        self._deadline = deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    async def renew(self):
        if not self._still_held():
            return False
        deadline = self._clock() + self._ttl
        try:
            renewed = await self._service.renew(self._name, self._token, self._ttl)
        except BaseException:
            self._still_held()
            raise
        if not self._still_held():
            return False
        if not renewed:
            self._lose()
            return False
        self._deadline = max(self._deadline, deadline)
        return True

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
            return False
        if not self._still_held():
            return False
        self.state = "released"
        return await self._service.release(self._name, self._token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    def _still_held(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self._lose()
        return self.state == "held"

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
        return False
