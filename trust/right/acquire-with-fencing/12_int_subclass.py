# Tokens are a subclass of int with a readable repr; leases are __slots__ objects with a property.
class FencingToken(int):
    __slots__ = ()

    def __repr__(self):
        return f"FencingToken({int(self)})"


class Lease:
    __slots__ = ("_clock", "client", "token", "_end")

    def __init__(self, clock, client, token, ttl):
        self._clock = clock
        self.client = client
        self.token = token
        self._end = clock() + ttl

    @property
    def over(self):
        return self._clock() >= self._end


class LockManager:
    __slots__ = ("_clock", "_leases", "_token")

    def __init__(self, clock):
        self._clock = clock
        self._leases = {}
        self._token = FencingToken(0)

    def acquire(self, name, client_id, ttl):
        lease = self._leases.get(name)
        if lease and not lease.over:
            return None
        self._token = FencingToken(self._token + 1)
        self._leases[name] = Lease(self._clock, client_id, self._token, ttl)
        return self._token

    def release(self, name, client_id):
        lease = self._leases.get(name)
        if lease and lease.client == client_id:
            return self._leases.pop(name) is lease
        return False
