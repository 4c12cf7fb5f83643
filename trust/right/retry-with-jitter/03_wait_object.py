# Each call makes an object of its own that knows its deadline, its count and what it asks for.
import math
import secrets
from dataclasses import dataclass, field

from leasehold import TransportError

_draw = secrets.SystemRandom().uniform


@dataclass(slots=True)
class _Wait:
    acquirer: "Acquirer"
    name: str
    ttl: float
    deadline: float
    failed: int = 0
    last: bool = field(default=False)

    async def grant(self):
        while not (grant := await self.one_try()):
            if self.last or not await self.pause():
                return None
        return grant

    async def one_try(self):
        clock = self.acquirer.clock
        sent = clock()
        try:
            grant = await self.acquirer.service.acquire(self.name, self.ttl)
            if grant is not None and clock() - sent < self.ttl:
                return grant
        except TransportError:
            pass
        self.failed += 1
        return None

    async def pause(self):
        """False if the time is over."""
        clock = self.acquirer.clock
        left = self.deadline - clock()
        if left <= 0:
            return False
        drawn = _draw(0, self.acquirer.ceiling(self.failed - 1))
        if drawn >= left:
            self.last = True
            drawn = left
        await clock.sleep(drawn)
        # Paused until after the deadline: this one gives up without another try.
        return clock() <= self.deadline or self.last and clock() <= self.deadline + 0.000_01


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service = service
        self.clock = clock
        self.base_s = base_s
        self.cap_s = cap_s
        # From here on base * 2**n is beyond the cap.
        self.enough = max(0, math.ceil(math.log2(cap_s / base_s)))

    def ceiling(self, n):
        return self.cap_s if n >= self.enough else self.base_s * 2**n

    async def acquire(self, name, ttl, wait_s=0):
        self.check(wait_s)
        return await _Wait(self, name, ttl, self.clock() + wait_s).grant()

    @staticmethod
    def check(wait_s):
        try:
            good = 0 <= wait_s < math.inf
        except TypeError:
            good = False
        if not good:
            raise ValueError(f"not a time to wait: {wait_s!r}")
