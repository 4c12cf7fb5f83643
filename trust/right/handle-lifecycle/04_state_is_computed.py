# No state is stored: it is computed from what is known (grant, deadline, how it ended), so "lost" shows at the deadline.
from contextlib import suppress


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._asked = False
        self._grant = None
        self._deadline = None
        self._given_up = False      # by us
        self._taken = False         # from us
        self._told = False

    @property
    def fencing_token(self):
        return None if self._grant is None else self._grant.fencing_token

    @property
    def state(self):
        if self._given_up:
            return "released"
        if self._grant is None:
            return "acquiring"
        return "lost" if self._taken or self._clock() >= self._deadline else "held"

    def is_held(self):
        return self.state == "held"

    def _look(self):
        """The state; a loss is noted for good and told."""
        state = self.state
        if state == "lost":
            self._taken = True
            if not self._told:
                self._told = True
                if self._on_lost is not None:
                    with suppress(Exception):
                        self._on_lost()
        return state

    async def acquire(self):
        if self._asked or self._given_up:
            raise RuntimeError("used up")
        self._asked = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._given_up = True
            raise
        wanted = not self._given_up and self._clock() < deadline
        if grant is not None and wanted:
            self._grant, self._deadline = grant, deadline
            return True
        self._given_up = True
        if grant is not None:
            with suppress(Exception):
                await self._service.release(self._name, grant.ownership_token)
        return False

    async def renew(self):
        if self._look() != "held":
            return False
        deadline = self._clock() + self._ttl
        try:
            renewed = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except BaseException:
            self._look()
            raise
        if self._look() != "held":
            return False
        if renewed:
            self._deadline = max(self._deadline, deadline)
        else:
            self._taken = True
        return self._look() == "held"

    async def release(self):
        state = self._look()
        if state in ("lost", "released"):
            return False
        self._given_up = True
        if state == "acquiring":
            return False
        return await self._service.release(self._name, self._grant.ownership_token)

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(f"{self._name} could not be had")
        return self

    async def __aexit__(self, kind, exception, traceback):
        with suppress(BaseException):
            await self.release()
