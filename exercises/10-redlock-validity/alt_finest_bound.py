"""One after the other, only as many as needed. The time counts from the request that completes the majority."""

import secrets
from types import SimpleNamespace

from leasehold import TransportError


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._state = (list(nodes), clock, drift_factor)

    async def acquire(self, name, ttl):
        nodes, clock, drift_factor = self._state
        needed = len(nodes) // 2 + 1
        lease = SimpleNamespace(name=name, tokens={}, valid_until=None)
        sent = []
        for position, node in enumerate(nodes):
            # Each node has a token of its own: nothing says that they must be equal.
            token = secrets.token_urlsafe(12)
            asked = clock()
            lease.tokens[position] = token
            try:
                if await node.acquire(name, token, ttl):
                    sent.append(asked)
                else:
                    del lease.tokens[position]
            except TransportError:
                pass
            if len(sent) == needed or len(sent) + len(nodes) - position - 1 < needed:
                break
        if len(sent) == needed:
            # The oldest of those that granted is the first to forget.
            lease.valid_until = min(sent) + ttl * (1 - drift_factor)
            if clock() < lease.valid_until:
                return lease
        lease.valid_until = float("inf")
        await self.release(lease)
        return None

    async def release(self, lease):
        nodes, clock, _ = self._state
        if clock() >= lease.valid_until:
            return
        for position, token in lease.tokens.items():
            try:
                await nodes[position].release(lease.name, token)
            except TransportError:
                continue
