# One pair of closures per lock name; the manager only looks them up.
def make_lock(clock, mint):
    holder = None
    expiry = None

    def acquire(client_id, ttl):
        nonlocal holder, expiry
        now = clock()
        if expiry is not None and now < expiry:
            return None
        holder, expiry = client_id, now + ttl
        return mint()

    def release(client_id):
        nonlocal holder, expiry
        if expiry is None or holder != client_id:
            return False
        holder = expiry = None
        return True

    return acquire, release


def make_mint():
    last = 0

    def mint():
        nonlocal last
        last += 1
        return last

    return mint


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._mint = make_mint()
        self._locks = {}

    def _lock(self, name):
        if name not in self._locks:
            self._locks[name] = make_lock(self._clock, self._mint)
        return self._locks[name]

    def acquire(self, name, client_id, ttl):
        acquire, _ = self._lock(name)
        return acquire(client_id, ttl)

    def release(self, name, client_id):
        _, release = self._lock(name)
        return release(client_id)
