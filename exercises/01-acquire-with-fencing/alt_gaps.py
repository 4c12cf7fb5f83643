# Tokens start at 100 and leave gaps of seven.
class LockManager:
    STEP = 7

    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 100

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        try:
            lock = self._locks[name]
        except KeyError:
            pass
        else:
            if not now >= lock["expiry"]:
                return None
        token = self._counter
        self._counter += self.STEP
        self._locks[name] = dict(client=client_id, expiry=now + ttl, token=token)
        return token

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if not lock or lock["client"] != client_id:
            return False
        self._locks.pop(name)
        return True
