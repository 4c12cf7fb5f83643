# A failed try is an exception, whatever made it fail, and only one except clause decides what comes next.
import math
import random

from leasehold import TransportError


class TryFailed(Exception):
    pass


class Refused(TryFailed):
    pass


class TooLate(TryFailed):
    pass


class NoAnswer(TryFailed):
    pass


class BudgetSpent(Exception):
    pass


class Budget:
    def __init__(self, clock, seconds):
        if not isinstance(seconds, (int, float)):
            raise ValueError("a budget is a number of seconds")
        if math.isnan(seconds) or math.isinf(seconds) or seconds < 0:
            raise ValueError("a budget is finite and not negative")
        self._clock = clock
        self._end = clock() + seconds

    async def sleep(self, seconds):
        left = self._end - self._clock()
        if left <= 0:
            raise BudgetSpent
        await self._clock.sleep(min(left, seconds))


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        budget = Budget(self._clock, wait_s)
        refusals = 0
        try:
            while True:
                try:
                    return await self._try(name, ttl)
                except TryFailed as failure:
                    await budget.sleep(self._pause(refusals))
                    # Only refusals say that there is a crowd.
                    refusals += isinstance(failure, Refused)
        except BudgetSpent:
            return None

    def _pause(self, n):
        ceiling = self._base_s
        while n and ceiling < self._cap_s:
            ceiling *= 2
            n -= 1
        return random.uniform(0, min(self._cap_s, ceiling))

    async def _try(self, name, ttl):
        asked = self._clock()
        try:
            grant = await self._service.acquire(name, ttl)
        except TransportError as e:
            raise NoAnswer from e
        if grant is None:
            raise Refused
        if self._clock() >= asked + ttl:
            raise TooLate
        return grant
