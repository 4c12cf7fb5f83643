# Guards raise Over inside, and a decorator turns it into False; a loss found on release still asks the service.
from functools import wraps


class NotAcquired(Exception):
    pass


class Over(Exception):
    pass


def over_is_false(method):
    @wraps(method)
    async def call(self):
        try:
            return await method(self)
        except Over:
            return False
    return call


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._first = True
        self._grant = None
        self._deadline = None
        self.state = "acquiring"
        self.fencing_token = None

    @over_is_false
    async def acquire(self):
        if not self._first or self.state != "acquiring":
            raise RuntimeError("second call")
        self._first = False
        deadline = self._clock() + self._ttl
        grant = None
        try:
            grant = await self._service.acquire(self._name, self._ttl)
            if grant is None or self.state != "acquiring" or self._clock() >= deadline:
                raise Over
        except BaseException:
            self.state = "released"
            if grant is not None:
                try:
                    await self._service.release(self._name, grant.ownership_token)
                except Exception:
                    pass
            raise
        self._grant, self._deadline, self.fencing_token = grant, deadline, grant.fencing_token
        self.state = "held"
        return True

    def _must_be_held(self):
        if self.state != "held":
            raise Over
        if self._clock() >= self._deadline:
            self._lose()

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()
        raise Over

    @over_is_false
    async def renew(self):
        self._must_be_held()
        deadline = self._clock() + self._ttl
        try:
            renewed = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except BaseException as error:
            try:
                self._must_be_held()
            except Over:
                pass
            raise error
        self._must_be_held()
        if not renewed:
            self._lose()
        self._deadline = max(self._deadline, deadline)
        return True

    @over_is_false
    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
        before = self.state
        try:
            self._must_be_held()
        except Over:
            if before == "held":
                # Lost just now: tidy up, but that is no release of a held lock any more.
                try:
                    await self._service.release(self._name, self._grant.ownership_token)
                except Exception:
                    pass
            raise
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
