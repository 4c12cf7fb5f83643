# Three layers: what is true of any life with four states, of a lease with a deadline, and of a lock of this service.
from abc import ABC, abstractmethod


class NotAcquired(Exception):
    pass


class Life(ABC):
    def __init__(self, on_lost):
        self.state = "acquiring"
        self._listener = on_lost

    @property
    def over(self):
        return self.state in ("lost", "released")

    def become_held(self):
        self.state = "held"

    def become_released(self):
        if not self.over:
            self.state = "released"

    def become_lost(self):
        if self.state == "held":
            self.state = "lost"
            self.tell()

    def tell(self):
        if self._listener is not None:
            self._listener()

    @abstractmethod
    def look(self):
        ...


class Lease(Life):
    def __init__(self, clock, ttl, on_lost):
        super().__init__(on_lost)
        self._clock = clock
        self._ttl = ttl
        self._deadline = float("-inf")

    def before(self, deadline):
        return self._clock() < deadline

    def look(self):
        if self.state == "held" and not self.before(self._deadline):
            self.become_lost()
        return self.state == "held"

    def is_held(self):
        return self.state == "held" and self.before(self._deadline)

    def extend(self, deadline):
        self._deadline = max(self._deadline, deadline)


class LockHandle(Lease):
    def __init__(self, service, clock, name, ttl, on_lost=None):
        super().__init__(clock, ttl, on_lost)
        self._service = service
        self._name = name
        self._fresh = True
        self._token = None
        self.fencing_token = None

    async def acquire(self):
        if not self._fresh or self.over:
            raise RuntimeError("used")
        self._fresh = False
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.become_released()
            raise
        if grant is not None and not self.over and self.before(deadline):
            self._token = grant.ownership_token
            self.fencing_token = grant.fencing_token
            self.extend(deadline)
            self.become_held()
            return True
        self.become_released()
        if grant is not None and self.before(deadline):
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
        return False

    async def renew(self):
        if not self.look():
            return False
        deadline = self._clock() + self._ttl
        try:
            if not await self._service.renew(self._name, self._token, self._ttl):
                self.become_lost()
        except BaseException:
            self.look()
            raise
        if not self.look():
            return False
        self.extend(deadline)
        return True

    async def release(self):
        held = self.look()
        self.become_released()
        if not held:
            return False
        return await self._service.release(self._name, self._token)

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
