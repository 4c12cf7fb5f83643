# Written step by step with a comment for each, and with flags in the place of clever loops.
import random

from leasehold import TransportError


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        # The service that gives locks.
        self.service = service
        # The clock that never goes back.
        self.clock = clock
        # The longest first pause.
        self.base_s = base_s
        # The longest pause of all.
        self.cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        # None is no number.
        if wait_s is None:
            raise ValueError("wait_s must be a number")
        # NaN is the only number that is not equal to itself.
        if wait_s != wait_s:
            raise ValueError("wait_s must not be NaN")
        # Nobody waits for ever.
        if wait_s == float("inf"):
            raise ValueError("wait_s must not be infinite")
        # Nor less than not at all. (This is also minus infinity.)
        if wait_s < 0:
            raise ValueError("wait_s must not be negative")

        # When we must stop.
        start = self.clock()
        deadline = start + wait_s

        # The longest possible pause now. It doubles later.
        longest = self.base_s
        # Whether the next try is the last one.
        last_try = wait_s == 0

        while True:
            # Look at the clock just before we ask.
            asked_at = self.clock()
            grant = None
            try:
                grant = await self.service.acquire(name, ttl)
            except TransportError:
                # No answer. We know nothing, so we go on.
                pass

            # Did we get it?
            if grant is not None:
                # Does it still run?
                answered_at = self.clock()
                if answered_at < asked_at + ttl:
                    return grant
                # It may be over. Let it run out.

            # We did not get it. Was this the last try?
            if last_try:
                return None

            # How much time is left?
            left = deadline - self.clock()
            if left <= 0:
                return None

            # The cap first, then the chance.
            if longest > self.cap_s:
                longest = self.cap_s
            pause = random.uniform(0, longest)
            longest = longest * 2

            # Do not sleep past the deadline.
            if pause >= left:
                pause = left
                last_try = True
            await self.clock.sleep(pause)

            # If we were asleep for too long (our process was paused), one more try does no harm.
            if self.clock() >= deadline:
                last_try = True
