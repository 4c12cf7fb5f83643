# A renewal is a task of its own: a cancelled caller leaves it alone, and its answer counts when it comes.
from leasehold import Cancelled, spawn


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
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if self._acquired or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._acquired = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
            return False
        if self.state == "released" or self._clock() >= deadline:
            self.state = "released"
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
            return False
        self._token, self._deadline = grant.ownership_token, deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _look(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self._lose()
        return self.state == "held"

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def renew(self):
        if not self._look():
            return False
        outcome, error = await spawn(self._renewal())
        if error is not None:
            raise error
        return outcome

    async def _renewal(self):
        """(True or False, None) or (None, an error). Nobody may be there any more to hear it."""
        if not self._look():
            return False, None
        deadline = self._clock() + self._ttl
        try:
            answer = await self._service.renew(self._name, self._token, self._ttl)
        except Exception as error:
            self._look()
            return None, error
        if not self._look():
            return False, None
        if not answer:
            self._lose()
            return False, None
        self._deadline = max(self._deadline, deadline)
        return True, None

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
        if not self._look():
            return False
        self.state = "released"
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
        except (Exception, Cancelled):
            pass
