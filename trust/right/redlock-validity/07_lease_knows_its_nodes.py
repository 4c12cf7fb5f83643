# The lease carries the set of nodes that may have its token; only those are released, once, and not after the end.
import secrets

from leasehold import TransportError


class Lease:
    __slots__ = ("name", "ownership_token", "valid_until", "_maybe", "_released")

    def __init__(self, name, ownership_token):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = None
        self._maybe = []
        self._released = False

    async def ask(self, node, ttl):
        """True if the node said yes."""
        self._maybe.append(node)
        try:
            if await node.acquire(self.name, self.ownership_token, ttl):
                return True
        except TransportError:
            return False
        self._maybe.remove(node)
        return False

    async def drop(self, also=()):
        if self._released:
            return
        self._released = True
        for node in [*self._maybe, *also]:
            try:
                await node.release(self.name, self.ownership_token)
            except TransportError:
                pass


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        lease = Lease(name, secrets.token_hex(16))
        waiting = list(self._nodes)
        majority = len(waiting) // 2 + 1
        lease.valid_until = self._clock() + ttl * (1 - self._drift_factor)
        missing = majority
        while missing > 0 and len(waiting) >= missing:
            missing -= await lease.ask(waiting.pop(0), ttl)
        if missing <= 0 and self._clock() < lease.valid_until:
            return lease
        # Nobody asked the others, but they are told as well.
        await lease.drop(also=waiting)
        return None

    async def release(self, lease):
        if self._clock() < lease.valid_until:
            await lease.drop()
