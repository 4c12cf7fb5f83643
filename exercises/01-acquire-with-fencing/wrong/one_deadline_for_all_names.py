# killed-by: names_are_independent
# bug: Each name has a holder, but one deadline serves them all, so the latest grant moves the end of the others.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._holders = {}
        self._deadline = 0.0
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        if name in self._holders and now < self._deadline:
            return None
        self._counter += 1
        self._holders[name] = client_id
        self._deadline = now + ttl
        return self._counter

    def release(self, name, client_id):
        if self._holders.get(name) != client_id:
            return False
        del self._holders[name]
        return True
