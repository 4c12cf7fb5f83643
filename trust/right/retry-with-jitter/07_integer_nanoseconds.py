# All times are whole nanoseconds, so that nothing is lost to rounding; the draws come from randrange.
from random import SystemRandom

from leasehold import TransportError

S = 1_000_000_000
rng = SystemRandom()


class Acquirer:
    __slots__ = ("_service", "_clock", "_base", "_cap")

    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base = max(1, round(base_s * S))
        self._cap = max(1, round(cap_s * S))

    def _now(self):
        return round(self._clock() * S)

    async def acquire(self, name, ttl, wait_s=0):
        try:
            budget = round(wait_s * S)
        except (OverflowError, TypeError) as e:  # infinite, None; NaN is a ValueError by itself
            raise ValueError("wait_s is not a finite number") from e
        if wait_s < 0:
            raise ValueError("wait_s is negative")
        ttl_ns = round(ttl * S)
        deadline = self._now() + budget
        shift = 0
        while True:
            begun = self._now()
            try:
                grant = await self._service.acquire(name, ttl)
            except TransportError:
                grant = None
            ended = self._now()
            if grant is not None and ended < begun + ttl_ns:
                return grant
            if ended >= deadline:
                return None
            longest = self._base << shift  # integers have no end, but they get long
            if longest < self._cap:
                shift += 1
            pause = rng.randrange(min(self._cap, longest) + 1)
            await self._clock.sleep(min(pause, deadline - ended) / S)
