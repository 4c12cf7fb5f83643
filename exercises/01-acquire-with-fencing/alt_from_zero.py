# The first token is 0, so a lock is looked for with `in` and `is`, never by whether its token is truthy.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._holders = {}  # token -> (name, client_id, expiry)
        self._current = {}  # name -> token
        self._next = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        current = self._current.get(name)
        if current is not None:
            if self._holders[current][2] > now:
                return None
            del self._holders[current]
        token, self._next = self._next, self._next + 1
        self._holders[token] = (name, client_id, now + ttl)
        self._current[name] = token
        return token

    def release(self, name, client_id):
        if name not in self._current:
            return False
        token = self._current[name]
        if self._holders[token][1] != client_id:
            return False
        del self._current[name], self._holders[token]
        return True
