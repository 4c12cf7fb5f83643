# Renewals of one handle take turns at a Mutex, so that answers can't overtake each other.
from leasehold import Mutex


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._turn = Mutex()
        self._calls = 0
        self._grant = None
        self._deadline = 0.0
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        self._calls += 1
        if self._calls > 1 or self.state != "acquiring":
            raise RuntimeError("acquire() works once, and not after release()")
        start = self._clock()
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
            except BaseException:
                pass
            return False
        if self._clock() - start >= self._ttl:
            self.state = "released"
            return False
        self._grant = grant
        self._deadline = start + self._ttl
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _alive(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self._set_lost()
        return self.state == "held"

    def _set_lost(self):
        if self.state == "held":
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()

    async def renew(self):
        if not self._alive():
            return False
        async with self._turn:
            if not self._alive():
                return False
            start = self._clock()
            try:
                renewed = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
            except BaseException:
                self._alive()
                raise
            if not self._alive():
                return False
            if not renewed:
                self._set_lost()
                return False
            self._deadline = start + self._ttl
            return True

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
            return False
        if not self._alive():
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
        except BaseException:
            pass
        return False
