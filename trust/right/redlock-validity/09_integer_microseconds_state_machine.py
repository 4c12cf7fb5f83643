# Counts in whole microseconds, rounded to the safe side with two milliseconds spare; a small state machine with match decides after each answer.
import enum
import math
import secrets

from leasehold import TransportError

SPARE_US = 2000


class Outcome(enum.Enum):
    OPEN = "open"
    WON = "won"
    LOST = "lost"


class Lease:
    def __init__(self, name, ownership_token, end_us):
        self.name = name
        self.ownership_token = ownership_token
        self.end_us = end_us

    @property
    def valid_until(self):
        return self.end_us / 1_000_000


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    def _outcome(self, yes, other):
        n = len(self._nodes)
        if yes > n - yes:
            return Outcome.WON
        if other >= n - other:
            return Outcome.LOST
        return Outcome.OPEN

    async def acquire(self, name, ttl):
        token = secrets.token_hex(16)
        start_us = math.floor(self._clock() * 1_000_000)
        drift_us = math.ceil(self._drift_factor * ttl * 1_000_000)
        end_us = start_us + math.floor(ttl * 1_000_000) - drift_us
        nodes = iter(self._nodes)
        yes = other = 0
        while True:
            match self._outcome(yes, other):
                case Outcome.OPEN:
                    try:
                        answer = await next(nodes).acquire(name, token, ttl)
                    except TransportError:
                        answer = False
                    if answer:
                        yes += 1
                    else:
                        other += 1
                case Outcome.WON if math.ceil(self._clock() * 1_000_000) < end_us:
                    # The spare is taken only where something is left of it.
                    spared = end_us - SPARE_US
                    keep = spared if math.ceil(self._clock() * 1_000_000) < spared else end_us
                    return Lease(name, token, keep)
                case _:
                    await self._sweep(name, token)
                    return None

    async def release(self, lease):
        await self._sweep(lease.name, lease.ownership_token)

    async def _sweep(self, name, token):
        for node in self._nodes:
            try:
                await node.release(name, token)
            except TransportError:
                pass
