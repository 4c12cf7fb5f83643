"""Each try is a task that sets a signal; the pauses are drawn by a Random of each call's own."""

import math
import random
import secrets

from leasehold import Signal, TransportError, spawn


class Try:
    def __init__(self, service, name, ttl):
        self.grant = None
        self.problem = None
        self.over = Signal()
        spawn(self.ask(service, name, ttl))

    async def ask(self, service, name, ttl):
        try:
            self.grant = await service.acquire(name, ttl)
        except TransportError:
            pass
        except Exception as problem:
            self.problem = problem
        finally:
            self.over.set()


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service, self.clock, self.base, self.cap = service, clock, base_s, cap_s

    async def acquire(self, name, ttl, wait_s=0):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError("no budget")
        draw = random.Random(secrets.randbits(64))
        started = self.clock()
        tries = 0
        while True:
            asked = self.clock()
            attempt = Try(self.service, name, ttl)
            await attempt.over.wait()
            if attempt.problem is not None:
                raise attempt.problem
            if attempt.grant is not None and self.clock() - asked < ttl:
                return attempt.grant
            left = wait_s - (self.clock() - started)
            if left <= 0:
                return None
            doubled = 2**tries if tries < 1000 else math.inf
            tries += 1
            await self.clock.sleep(min(left, draw.uniform(0, min(self.cap, self.base * doubled))))
