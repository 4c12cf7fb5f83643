# The requests of a handle stand in line at one Mutex: the state changes at once, the asking waits for its turn.
from contextlib import AbstractAsyncContextManager

from leasehold import Mutex


class NotAcquired(Exception):
    pass


class LockHandle(AbstractAsyncContextManager):
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._line = Mutex()
        self._fresh = True
        self._token = None
        self._deadline = None
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if not self._fresh:
            raise RuntimeError("this handle is not fresh")
        self._fresh = False
        try:
            async with self._line:
                deadline = self._clock() + self._ttl
                grant = await self._service.acquire(self._name, self._ttl)
                late = self._clock() >= deadline
                if grant is not None and self.state == "acquiring" and not late:
                    self._token, self._deadline = grant.ownership_token, deadline
                    self.fencing_token = grant.fencing_token
                    self.state = "held"
                    return True
                self.state = "released"
                if grant is not None and not late:
                    try:
                        await self._service.release(self._name, grant.ownership_token)
                    except BaseException:
                        pass
                return False
        except BaseException:
            self.state = "released"
            raise

    def _see(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self._lose()
        return self.state == "held"

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()

    async def renew(self):
        if not self._see():
            return False
        async with self._line:
            if not self._see():
                return False
            deadline = self._clock() + self._ttl
            try:
                renewed = await self._service.renew(self._name, self._token, self._ttl)
            except BaseException:
                self._see()
                raise
            if not self._see():
                return False
            if not renewed:
                self._lose()
                return False
            self._deadline = deadline
            return True

    async def release(self):
        self._fresh = False
        if self.state == "acquiring":
            self.state = "released"
            return False
        if not self._see():
            return False
        self.state = "released"
        async with self._line:
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
        except BaseException:
            pass
        return None
