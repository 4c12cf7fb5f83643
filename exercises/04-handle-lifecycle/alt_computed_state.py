# Keeps facts, not a state: when it was asked, what was granted, why it ended. The state follows from them and the clock.
from contextlib import suppress

from leasehold import TransportError


class NotAcquired(RuntimeError):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self.service, self.clock, self.name, self.ttl = service, clock, name, ttl
        self.tell = on_lost or (lambda: None)
        self.used = False
        self.grant = None
        self.until = float("-inf")
        self.end = None

    @property
    def state(self):
        if self.end:
            return self.end
        if self.grant is None:
            return "acquiring"
        return "held" if self.clock() < self.until else "lost"

    @property
    def fencing_token(self):
        return self.grant and self.grant.fencing_token

    def is_held(self):
        return self.state == "held"

    def check(self):
        """Makes a loss that the clock has brought a fact, and tells it."""
        if self.end is None and self.state == "lost":
            self.lost()
        return self.is_held()

    def lost(self):
        self.end = "lost"
        self.tell()

    async def acquire(self):
        if self.used or self.end:
            raise RuntimeError("used already")
        self.used, before = True, self.clock()
        grant = None
        try:
            grant = await self.service.acquire(self.name, self.ttl)
        finally:
            unwanted = self.end is not None or self.clock() >= before + self.ttl
            if grant is None or unwanted:
                self.end = "released"
        if grant is not None and not unwanted:
            self.grant, self.until = grant, before + self.ttl
            return True
        if grant is not None:
            with suppress(TransportError):
                await self.service.release(self.name, grant.ownership_token)
        return False

    async def renew(self):
        if not self.check():
            return False
        before = self.clock()
        renewed = None
        try:
            renewed = await self.service.renew(self.name, self.grant.ownership_token, self.ttl)
        finally:
            still = self.check()
        if still and renewed:
            self.until = max(self.until, before + self.ttl)
        elif still:
            self.lost()
        return still and renewed

    async def release(self):
        if self.check():
            self.end = "released"
            return await self.service.release(self.name, self.grant.ownership_token)
        self.end = self.end or "released"
        return False

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired(self.name)

    async def __aexit__(self, *error):
        with suppress(TransportError):
            await self.release()
        return False
