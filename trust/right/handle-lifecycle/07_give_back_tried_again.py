# A grant that nobody wants goes back in a background task that tries three times; acquire() does not wait for it.
from leasehold import TransportError, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    __slots__ = ("_service", "_clock", "_name", "_ttl", "_on_lost", "_token", "_deadline", "_fresh", "_state", "_fence")

    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._token = self._deadline = self._fence = None
        self._fresh = True
        self._state = "acquiring"

    state = property(lambda self: self._state)
    fencing_token = property(lambda self: self._fence)

    def _in_time(self):
        return self._clock() < self._deadline

    def _end_by_loss(self):
        self._state = "lost"
        on_lost, self._on_lost = self._on_lost, None
        if on_lost is not None:
            try:
                on_lost()
            except Exception as error:
                print(f"on_lost of {self._name}: {error!r}")

    async def _return(self, token):
        for _ in range(3):
            try:
                await self._service.release(self._name, token)
                return
            except TransportError:
                pass

    async def acquire(self):
        if not self._fresh:
            raise RuntimeError("not a fresh handle")
        self._fresh = False
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._state = "released"
            raise
        if grant is not None and (self._state != "acquiring" or self._clock() >= deadline):
            self._state = "released"
            spawn(self._return(grant.ownership_token))
            return False
        if grant is None:
            self._state = "released"
            return False
        self._token, self._fence, self._deadline = grant.ownership_token, grant.fencing_token, deadline
        self._state = "held"
        return True

    async def renew(self):
        if self._state != "held":
            return False
        if not self._in_time():
            self._end_by_loss()
            return False
        deadline = self._clock() + self._ttl
        ok = None
        try:
            ok = await self._service.renew(self._name, self._token, self._ttl)
        finally:
            if self._state == "held":
                if not self._in_time() or ok is False:
                    self._end_by_loss()
                elif ok:
                    self._deadline = max(self._deadline, deadline)
        return bool(ok) and self._state == "held"

    async def release(self):
        self._fresh = False
        before = self._state
        if before == "held" and not self._in_time():
            self._end_by_loss()
            return False
        if before in ("held", "acquiring"):
            self._state = "released"
        if before != "held":
            return False
        return await self._service.release(self._name, self._token)

    def is_held(self):
        return self._state == "held" and self._in_time()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException as error:
            print(f"release of {self._name}: {error!r}")
