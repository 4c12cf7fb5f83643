# A release is a task of its own: a second release() that comes meanwhile waits for it and ends as it does.
from leasehold import spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._began = False
        self._ownership_token = None
        self._deadline = None
        self._releasing = None
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if self._began or self.state == "released":
            raise RuntimeError("acquire() was called before, or release() was")
        self._began = True
        began_at = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
            return False
        if self._clock() >= began_at + self._ttl:
            self.state = "released"
        if self.state == "released":
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
            return False
        self._ownership_token = grant.ownership_token
        self._deadline = began_at + self._ttl
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _find_loss(self):
        if self.state == "held" and not self.is_held():
            self._lose()

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def renew(self):
        self._find_loss()
        if self.state != "held":
            return False
        asked_at = self._clock()
        try:
            renewed = await self._service.renew(self._name, self._ownership_token, self._ttl)
        except Exception:
            self._find_loss()
            if self.state != "held":
                return False
            raise
        self._find_loss()
        if self.state != "held":
            return False
        if not renewed:
            self._lose()
            return False
        if asked_at + self._ttl > self._deadline:
            self._deadline = asked_at + self._ttl
        return True

    async def release(self):
        self._find_loss()
        if self.state == "held":
            self.state = "released"
            self._releasing = spawn(self._service.release(self._name, self._ownership_token))
            return await self._releasing
        if self.state == "acquiring":
            self.state = "released"
        elif self._releasing is not None and not self._releasing.done():
            return await self._releasing
        return False

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def __aenter__(self):
        if await self.acquire() is False:
            raise NotAcquired()
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
