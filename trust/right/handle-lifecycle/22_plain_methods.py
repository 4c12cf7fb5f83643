# The public methods are plain functions that check and change the state when called, and return a coroutine for the rest.
class NotAcquired(Exception):
    pass


class HandleIsUsed(RuntimeError):
    pass


async def answer(value):
    return value


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

    def acquire(self):
        if self._used or self.state != "acquiring":
            raise HandleIsUsed(self._name)
        self._used = True
        return self._acquire()

    async def _acquire(self):
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

    def _held(self):
        if self.state == "held" and not self.is_held():
            self._lose()
        return self.state == "held"

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    def renew(self):
        return self._renew() if self._held() else answer(False)

    async def _renew(self):
        if not self._held():
            return False
        deadline = self._clock() + self._ttl
        try:
            renewed = await self._service.renew(self._name, self._token, self._ttl)
        except BaseException:
            self._held()
            raise
        if self._held() and not renewed:
            self._lose()
        if self.state != "held":
            return False
        self._deadline = max(self._deadline, deadline)
        return True

    def release(self):
        held = self._held()
        if self.state in ("acquiring", "held"):
            self.state = "released"
        return self._service.release(self._name, self._token) if held else answer(False)

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
