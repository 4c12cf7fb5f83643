# Closures: both methods are made in the constructor and are attributes of the instance.
import secrets
from leasehold import TransportError


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name, self.ownership_token, self.valid_until = name, ownership_token, valid_until


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        async def forget(lease):
            for node in nodes:
                try:
                    await node.release(lease.name, lease.ownership_token)
                except TransportError:
                    pass

        async def acquire(name, ttl):
            lease = Lease(name, secrets.token_hex(16), clock() + ttl * (1 - drift_factor))
            yes = 0
            for node in nodes:
                try:
                    yes += bool(await node.acquire(name, lease.ownership_token, ttl))
                except TransportError:
                    pass
                if yes > len(nodes) // 2:
                    break
            if yes > len(nodes) // 2 and clock() < lease.valid_until:
                return lease
            await forget(lease)

        self.acquire, self.release = acquire, forget
