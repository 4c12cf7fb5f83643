# killed-by: a_free_lock_is_granted_with_an_integer_token
# bug: The token is a string, and "10" sorts before "9".
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
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}
        return str(self._counter)

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
