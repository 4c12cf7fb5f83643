# A table name -> lease of what is out, one decorator that makes any node call harmless, and releases that are tried twice where no answer came.
import functools
import secrets
from dataclasses import dataclass, field

from leasehold import TransportError

SILENT = object()


def harmless(call):
    @functools.wraps(call)
    async def wrapped(*args):
        try:
            return await call(*args)
        except TransportError:
            return SILENT
    return wrapped


@harmless
async def ask(node, name, token, ttl):
    return await node.acquire(name, token, ttl)


@harmless
async def tell(node, name, token):
    return await node.release(name, token)


@dataclass
class Lease:
    name: str
    ownership_token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    valid_until: float = float("-inf")
    answers: dict = field(default_factory=dict, repr=False)


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = dict(enumerate(nodes))
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        lease = Lease(name)
        t1 = self._clock()
        for number, node in self._nodes.items():
            lease.answers[number] = await ask(node, name, lease.ownership_token, ttl)
            if self._decided(lease):
                break
        t2 = self._clock()
        usable = ttl - (t2 - t1) - self._drift_factor * ttl
        lease.valid_until = t2 + usable
        if self._yes(lease) * 2 > len(self._nodes) and usable > 0:
            return lease
        await self.release(lease)

    def _yes(self, lease):
        return sum(answer is True for answer in lease.answers.values())

    def _decided(self, lease):
        n, yes, asked = len(self._nodes), self._yes(lease), len(lease.answers)
        return yes * 2 > n or (yes + n - asked) * 2 <= n

    async def release(self, lease):
        again = []
        for number, node in self._nodes.items():
            if lease.answers.get(number, SILENT) is not False:
                if await tell(node, lease.name, lease.ownership_token) is SILENT:
                    again.append(node)
        for node in again:
            await tell(node, lease.name, lease.ownership_token)
