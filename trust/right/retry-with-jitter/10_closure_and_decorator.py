# A decorator makes a waiting function of one that tries once; the class only wraps the result.
import functools
import math
import random
import uuid

from leasehold import TransportError


def waiting(clock, base_s, cap_s, rng):
    def decorate(try_once):
        @functools.wraps(try_once)
        async def wrapper(*args, wait_s):
            if not isinstance(wait_s, (int, float)) or wait_s < 0 or not math.isfinite(wait_s):
                raise ValueError("wait_s")
            deadline = clock() + wait_s
            power = 1
            while (result := await try_once(*args)) is None:
                left = deadline - clock()
                if left <= 0:
                    break
                high = min(cap_s, base_s * power)
                power += power if high < cap_s else 0
                await clock.sleep(min(rng.uniform(0, high), left))
            return result

        return wrapper

    return decorate


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        @waiting(clock, base_s, cap_s, random.Random(uuid.uuid4().int))
        async def try_once(name, ttl):
            begun = clock()
            try:
                grant = await service.acquire(name, ttl)
            except TransportError:
                return None
            return None if grant is None or clock() >= begun + ttl else grant

        self._wait = try_once

    async def acquire(self, name, ttl, wait_s=0):
        return await self._wait(name, ttl, wait_s=wait_s)
