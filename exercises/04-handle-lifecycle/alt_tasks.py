# Each request is a task of its own: whoever calls waits for its end, and may be cancelled without leaving a grant behind.
# Two renewals at once are one request, and so are two releases.
from leasehold import Cancelled, TransportError, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl = service, clock, name, ttl
        self._on_lost = on_lost
        self._tasks = {}
        self._grant = None
        self._deadline = None
        self.fencing_token = None
        self.state = "acquiring"

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def acquire(self):
        if self.state != "acquiring" or "acquire" in self._tasks:
            raise RuntimeError("acquire() was called before")
        self._tasks["acquire"] = spawn(self._acquire())
        try:
            outcome = await self._tasks["acquire"]
        except Cancelled:
            self.state = "released"
            raise
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _acquire(self):
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except Exception as error:
            self.state = "released"
            return error
        if grant is None:
            self.state = "released"
        elif self.state == "acquiring" and self._clock() < deadline:
            self._grant, self._deadline = grant, deadline
            self.fencing_token = grant.fencing_token
            self.state = "held"
        else:
            self.state = "released"
            try:
                await self._service.release(self._name, grant.ownership_token)
            except TransportError:
                pass
        return self.state == "held"

    def _look(self, rejected=False):
        if self.state == "held" and (rejected or self._clock() >= self._deadline):
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
        return self.state == "held"

    async def renew(self):
        if not self._look():
            return False
        if "renew" not in self._tasks:
            self._tasks["renew"] = spawn(self._renew())
        outcome = await self._tasks["renew"]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome and self.state == "held"

    async def _renew(self):
        sent = self._clock()
        try:
            # It may have been released since this task was spawned.
            if not self._look():
                return False
            renewed = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except TransportError as error:
            self._look()
            return error
        finally:
            del self._tasks["renew"]
        if self._look(not renewed):
            self._deadline = sent + self._ttl
            return True
        return False

    async def release(self):
        if "release" in self._tasks:
            return await self._tasks["release"]
        if self.state == "acquiring":
            self.state = "released"
        if not self._look():
            return False
        self.state = "released"
        self._tasks["release"] = spawn(self._service.release(self._name, self._grant.ownership_token))
        try:
            return await self._tasks["release"]
        finally:
            del self._tasks["release"]

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, *exception):
        try:
            await self.release()
        except TransportError:
            pass
