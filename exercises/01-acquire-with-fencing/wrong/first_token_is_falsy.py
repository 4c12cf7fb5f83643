# killed-by: a_held_lock_is_refused_to_others
# bug: Tokens start at 0 and a lock counts as held only if its token is truthy, so the first lease protects nothing.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock and lock["token"] and now < lock["expiry"]:
            return None
        token = self._counter
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": token}
        return token

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
