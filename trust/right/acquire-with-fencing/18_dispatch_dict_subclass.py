# A dict subclass whose __missing__ makes a lock object, and a lock object with a table of transitions by state.
from enum import Enum, auto


class S(Enum):
    FREE = auto()
    HELD = auto()


class Lock:
    def __init__(self, manager):
        self.manager, self.owner, self.end = manager, None, None

    @property
    def state(self):
        return S.HELD if self.end is not None and self.manager.now() < self.end else S.FREE

    def grant(self, client, ttl):
        self.owner, self.end = client, self.manager.now() + ttl
        return self.manager.mint()

    def refuse(self, client, ttl):
        return None

    def nothing(self, client):
        return False

    def free(self, client):
        if self.owner != client:
            return False
        self.owner = self.end = None
        return True

    TABLE = {("acquire", S.FREE): grant, ("acquire", S.HELD): refuse,
             ("release", S.FREE): nothing, ("release", S.HELD): free}

    def __call__(self, verb, *args):
        return self.TABLE[verb, self.state](self, *args)


class Locks(dict):
    def __init__(self, manager):
        super().__init__()
        self.manager = manager

    def __missing__(self, name):
        self[name] = lock = Lock(self.manager)
        return lock


class LockManager:
    def __init__(self, clock):
        self._clock, self._minted, self._locks = clock, [], Locks(self)

    def now(self):
        return self._clock()

    def mint(self):
        self._minted.append(max(self._minted, default=0) + 1)
        return self._minted[-1]

    def acquire(self, name, client_id, ttl):
        return self._locks[name]("acquire", client_id, ttl)

    def release(self, name, client_id):
        return self._locks[name]("release", client_id)
