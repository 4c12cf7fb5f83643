# Functional: an immutable ballot, a recursive coroutine over the nodes that are left, no assignment to any attribute after the constructor.
import secrets
from typing import NamedTuple

from leasehold import TransportError


class Ballot(NamedTuple):
    yes: tuple = ()
    no: tuple = ()
    silent: tuple = ()

    def add(self, node, answer):
        kind = "silent" if answer is None else "yes" if answer else "no"
        return self._replace(**{kind: getattr(self, kind) + (node,)})


class Lease(NamedTuple):
    name: str
    ownership_token: str
    valid_until: float
    tell: tuple


async def reply(awaitable):
    try:
        return await awaitable
    except TransportError:
        return None


async def poll(ask, nodes, enough, ballot=Ballot()):
    """Ask until there are enough, or too few are left."""
    if len(ballot.yes) >= enough or len(ballot.yes) + len(nodes) < enough:
        return ballot
    first, *rest = nodes
    return await poll(ask, rest, enough, ballot.add(first, await reply(ask(first))))


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = tuple(nodes)
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_hex(16)
        valid_until = self._clock() + ttl - self._drift_factor * ttl
        enough = len(self._nodes) // 2 + 1
        ballot = await poll(lambda node: node.acquire(name, token, ttl), self._nodes, enough)
        lease = Lease(name, token, valid_until, ballot.yes + ballot.silent)
        if len(ballot.yes) >= enough and self._clock() < valid_until:
            return lease
        await self.release(lease._replace(tell=tuple(n for n in self._nodes if n not in ballot.no)))

    async def release(self, lease):
        for node in lease.tell:
            await reply(node.release(lease.name, lease.ownership_token))
