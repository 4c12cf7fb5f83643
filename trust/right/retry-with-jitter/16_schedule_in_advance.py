# The moment of the next try is kept as state, and a loop of two phases, wait and ask, goes on until one yields a result.
import enum
import math
import random

from leasehold import TransportError


class Phase(enum.Enum):
    ASK = "ask"
    WAIT = "wait"
    DONE = "done"


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._longest = {n: min(cap_s, base_s * 2**n) for n in range(32)}
        # base_s may be tiny: then the table is not long enough, and the rest is computed.
        self._rest = lambda n: min(cap_s, base_s * 2.0 ** min(n, 900))

    async def acquire(self, name, ttl, wait_s=0):
        if isinstance(wait_s, float) and not math.isfinite(wait_s):
            raise ValueError("infinite, or no number")
        if wait_s < 0:  # None: TypeError
            raise ValueError("negative")
        deadline = next_try = self._clock() + wait_s
        phase, n, result = Phase.ASK, 0, None
        while phase is not Phase.DONE:
            if phase is Phase.WAIT:
                await self._clock.sleep(next_try - self._clock())
                phase = Phase.ASK
                continue
            asked = self._clock()
            try:
                result = await self._service.acquire(name, ttl)
            except TransportError:
                result = None
            now = self._clock()
            if result is not None and now < asked + ttl:
                phase = Phase.DONE
            elif now >= deadline:
                phase, result = Phase.DONE, None
            else:
                longest = self._longest.get(n) or self._rest(n)
                next_try = min(deadline, now + random.uniform(0, longest))
                n += 1
                phase = Phase.WAIT
        return result
