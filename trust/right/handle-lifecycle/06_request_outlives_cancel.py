# The request is a task: if the caller is cancelled, it goes on, and another task gives back the grant that comes of it.
from leasehold import Cancelled, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl = service, clock, name, ttl
        self._on_lost = on_lost
        self._request = None
        self._sent = None
        self._grant = None
        self._deadline = None
        self.state = "acquiring"
        self.fencing_token = None

    async def _ask(self):
        self._sent = self._clock()
        return await self._service.acquire(self._name, self._ttl)

    async def _give_back(self, grant):
        try:
            await self._service.release(self._name, grant.ownership_token)
        except Exception:
            pass

    async def _clear_up(self):
        try:
            grant = await self._request
        except Exception:
            return
        if grant is not None:
            await self._give_back(grant)

    async def acquire(self):
        if self._request is not None or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._request = spawn(self._ask())
        try:
            grant = await self._request
        except Cancelled:
            self.state = "released"
            spawn(self._clear_up())
            raise
        except BaseException:
            self.state = "released"
            raise
        deadline = self._sent + self._ttl
        if grant is None:
            self.state = "released"
            return False
        if self.state == "released" or self._clock() >= deadline:
            self.state = "released"
            await self._give_back(grant)
            return False
        self._grant, self._deadline = grant, deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _lost(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()
        return False

    async def renew(self):
        if self.state != "held":
            return False
        now = self._clock()
        if now >= self._deadline:
            return self._lost()
        try:
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except Cancelled:
            raise       # the next call looks at the clock
        except Exception:
            if self.state == "held" and self._clock() >= self._deadline:
                self._lost()
            raise
        if self.state != "held":
            return False
        if self._clock() >= self._deadline or not answer:
            return self._lost()
        self._deadline = max(self._deadline, now + self._ttl)
        return True

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
        if self.state != "held":
            return False
        if self._clock() >= self._deadline:
            self._lost()
        else:
            self.state = "released"
        # Asked in both cases: the service's lease may still run for a moment, and nobody should wait for it.
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
        return None
