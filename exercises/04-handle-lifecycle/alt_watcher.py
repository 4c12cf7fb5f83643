# A task of its own watches the deadline, so that a loss is told when it comes and not when somebody asks. And whoever is
# lost by the clock still tells the service, so that the others need not wait.
from leasehold import Signal, TransportError, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._grant = None
        self._deadline = None
        self._over = Signal()
        self._once = False
        self.state = "acquiring"

    @property
    def fencing_token(self):
        return None if self._grant is None else self._grant.fencing_token

    def is_held(self):
        return self.state == "held" and self._deadline > self._clock()

    def _end(self, how):
        was, self.state = self.state, how
        self._over.set()
        if how == "lost" and was == "held" and self._on_lost is not None:
            self._on_lost()

    async def _watch(self):
        while not self._over.is_set():
            left = self._deadline - self._clock()
            if left <= 0:
                self._end("lost")
                return
            await self._over.wait(left)

    async def acquire(self):
        if self._once or self._over.is_set():
            raise RuntimeError("a handle is used once")
        self._once = True
        asked_at = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            if not self._over.is_set():
                self._end("released")
            raise
        if self._over.is_set():
            if grant is not None:
                await self._quietly_free(grant)
            return False
        if grant is None or self._clock() - asked_at >= self._ttl:
            self._end("released")
            return False
        self._grant = grant
        self._deadline = asked_at + self._ttl
        self.state = "held"
        spawn(self._watch())
        return True

    async def _quietly_free(self, grant):
        try:
            return await self._service.release(self._name, grant.ownership_token)
        except TransportError:
            return False

    async def renew(self):
        if self.state != "held":
            return False
        if not self.is_held():
            self._end("lost")
            return False
        asked_at = self._clock()
        answer = "none"
        try:
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
            return self._take(answer, asked_at)
        except TransportError:
            if self.state == "held" and not self.is_held():
                self._end("lost")
            raise

    def _take(self, renewed, asked_at):
        if self.state != "held":
            return False
        if not renewed or not self.is_held():
            self._end("lost")
            return False
        if asked_at + self._ttl > self._deadline:
            self._deadline = asked_at + self._ttl
        return True

    async def release(self):
        if self.state == "held" and not self.is_held():
            self._end("lost")
            await self._quietly_free(self._grant)
            return False
        if self.state == "held":
            self._end("released")
            return await self._service.release(self._name, self._grant.ownership_token)
        if self.state == "acquiring":
            self._end("released")
        return False

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired(f"no luck with {self._name}")

    async def __aexit__(self, *_):
        try:
            await self.release()
        except TransportError:
            pass
