# killed-by: tokens_grow_over_expiry
# bug: A takeover of an expired lease changes client and expiry and hands out the token of the lease before it.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        if lock is None:
            self._counter += 1
            lock = self._locks[name] = {"token": self._counter}
        lock["client"] = client_id
        lock["expiry"] = now + ttl
        return lock["token"]

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
