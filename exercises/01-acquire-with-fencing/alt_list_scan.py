# A plain list of leases, scanned at each call; what has ended is filtered out first.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._leases = []  # [name, client_id, expiry]
        self._granted = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        self._leases = [lease for lease in self._leases if lease[2] > now]
        if any(lease[0] == name for lease in self._leases):
            return None
        self._leases.append([name, client_id, now + ttl])
        self._granted += 1
        return self._granted

    def release(self, name, client_id):
        now = self._clock()
        for i, (held, client, expiry) in enumerate(self._leases):
            if held == name and client == client_id and expiry > now:
                self._leases.pop(i)
                return True
        return False
