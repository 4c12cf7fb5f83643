# killed-by: no_short_schedule_breaks_it
# bug: The token is a random integer: unique, but in no order.
import random


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        token = random.getrandbits(63)
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": token}
        return token

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
