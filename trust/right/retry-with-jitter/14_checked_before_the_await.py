# acquire() is a plain function: it checks its arguments at once and returns the coroutine that waits.
import math
import secrets

from leasehold import TransportError


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    def acquire(self, name, ttl, wait_s=0):
        """Returns an awaitable. A wrong `wait_s` is refused before there is one."""
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError(f"wait_s={wait_s!r}")
        return self._acquire(name, ttl, wait_s)

    async def _acquire(self, name, ttl, wait_s):
        clock = self._clock
        deadline = clock() + wait_s
        ceiling = min(self._cap_s, self._base_s)
        while True:
            good_until = clock() + ttl
            try:
                grant = await self._service.acquire(name, ttl)
                if grant is not None and clock() < good_until:
                    return grant
            except TransportError:
                pass
            if clock() >= deadline:
                return None
            pause = ceiling * secrets.randbelow(1_000_001) / 1_000_000
            await clock.sleep(max(0, min(clock() + pause, deadline) - clock()))
            ceiling = min(self._cap_s, ceiling * 2)
