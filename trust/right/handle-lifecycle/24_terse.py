# As few lines as stay readable: one method that looks, one that asks, and the three that use them.
from contextlib import suppress


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl = service, clock, name, ttl
        self._on_lost, self._used, self._end, self._token = on_lost or bool, False, 0, None
        self.state, self.fencing_token = "acquiring", None

    def is_held(self):
        return self.state == "held" and self._clock() < self._end

    def _held(self, rejected=False):
        if self.state == "held" and (rejected or not self.is_held()):
            self.state = "lost"
            self._on_lost()
        return self.state == "held"

    async def acquire(self):
        if self._used or self.state != "acquiring":
            raise RuntimeError("used")
        self._used, end, grant = True, self._clock() + self._ttl, None
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        finally:
            state, self.state = self.state, "released"
        if grant and state == "acquiring" and self._clock() < end:
            self._token, self.fencing_token, self._end = grant.ownership_token, grant.fencing_token, end
            self.state = "held"
        elif grant:
            with suppress(Exception):
                await self._service.release(self._name, grant.ownership_token)
            return False
        return self.state == "held"

    async def renew(self):
        if not self._held():
            return False
        end, answer = self._clock() + self._ttl, True
        try:
            answer = await self._service.renew(self._name, self._token, self._ttl)
        finally:
            held = self._held(rejected=not answer)
        if held:
            self._end = max(self._end, end)
        return held

    async def release(self):
        held = self._held()
        if held or self.state == "acquiring":
            self.state = "released"
        return held and await self._service.release(self._name, self._token)

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, *_):
        with suppress(BaseException):
            await self.release()
