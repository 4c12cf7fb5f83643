# On a late release the service is asked first and on_lost called last, in a finally; the state is lost before both.
class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._lock = (name, ttl)
        self._on_lost = on_lost
        self._grant = None
        self._deadline = None
        self._may_acquire = True
        self._state = "acquiring"
        self._fencing_token = None

    @property
    def state(self):
        return self._state

    @property
    def fencing_token(self):
        return self._fencing_token

    def _tell(self):
        if self._on_lost is not None:
            self._on_lost()

    def _late(self):
        return self._clock() >= self._deadline

    async def acquire(self):
        if not self._may_acquire:
            raise RuntimeError("acquire() comes once and first")
        self._may_acquire = False
        name, ttl = self._lock
        deadline = self._clock() + ttl
        outcome = "released"
        try:
            grant = await self._service.acquire(name, ttl)
            if grant is None:
                return False
            if self._state == "released":
                try:
                    await self._service.release(name, grant.ownership_token)
                except Exception:
                    pass
                return False
            if self._clock() < deadline:
                self._grant, self._deadline, self._fencing_token = grant, deadline, grant.fencing_token
                outcome = "held"
                return True
            return False
        finally:
            self._state = outcome

    async def renew(self):
        name, ttl = self._lock
        if self._state != "held":
            return False
        lost = self._late()
        if not lost:
            deadline = self._clock() + ttl
            error = None
            try:
                answer = await self._service.renew(name, self._grant.ownership_token, ttl)
            except BaseException as caught:
                answer, error = None, caught
            if self._state != "held":
                if error:
                    raise error
                return False
            lost = answer is False or self._late()
            if not lost and error:
                raise error
        if lost:
            self._state = "lost"
            self._tell()
            return False
        self._deadline = max(self._deadline, deadline)
        return True

    async def release(self):
        self._may_acquire = False
        if self._state == "acquiring":
            self._state = "released"
            return False
        if self._state != "held":
            return False
        self._state = "lost" if self._late() else "released"
        try:
            return await self._service.release(self._lock[0], self._grant.ownership_token)
        finally:
            if self._state == "lost":
                self._tell()

    def is_held(self):
        return self._state == "held" and not self._late()

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired(self._lock[0])

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
