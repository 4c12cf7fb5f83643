# Parallel dicts with plain counts, keyed by name and fencing token; a handle is an id that is spent once.
import itertools

from leasehold import Signal


class Handle:
    __slots__ = ("_registry", "_id", "_key", "_owner", "fencing_token")

    def __init__(self, registry, id, key, owner):
        self._registry = registry
        self._id = id
        self._key = key
        self._owner = owner
        self.fencing_token = key[1]

    def is_held(self):
        return self._id in self._registry.callbacks

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError(f"{self._owner!r} acquired it, not {owner!r}")
        await self._registry.spend(self._id, self._key)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.ids = itertools.count(1)
        self.current = {}  # name: fencing token
        self.owners = {}  # (name, fencing token): owner
        self.secrets = {}  # (name, fencing token): ownership token
        self.counts = {}  # (name, fencing token): how many handles
        self.members = {}  # (name, fencing token): [ids]
        self.callbacks = {}  # id: on_lost, for held ones
        self.asking = {}  # name: owner
        self.asked = {}  # name: Signal

    def join(self, name, owner, on_lost):
        key = name, self.current[name]
        if self.owners[key] != owner:
            return None
        id = next(self.ids)
        self.counts[key] += 1
        self.members[key].append(id)
        self.callbacks[id] = on_lost
        return Handle(self, id, key, owner)

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name not in self.current and self.asking.get(name) == owner:
            await self.asked[name].wait()
        if name in self.current:
            return self.join(name, owner, on_lost)
        if name in self.asking:
            return None
        self.asking[name] = owner
        self.asked[name] = Signal()
        try:
            grant = await self.service.acquire(name, ttl)
            if grant is None:
                return None
            key = name, grant.fencing_token
            self.current[name] = grant.fencing_token
            self.owners[key] = owner
            self.secrets[key] = grant.ownership_token
            self.counts[key] = 0
            self.members[key] = []
            return self.join(name, owner, on_lost)
        finally:
            del self.asking[name]
            self.asked.pop(name).set()

    def forget(self, key):
        del self.current[key[0]], self.owners[key], self.counts[key]
        return self.secrets.pop(key), self.members.pop(key)

    async def spend(self, id, key):
        if id not in self.callbacks:
            return
        del self.callbacks[id]
        self.counts[key] -= 1
        if self.counts[key] == 0:
            secret, _ = self.forget(key)
            await self.service.release(key[0], secret)

    def lost(self, name, fencing_token):
        key = name, fencing_token
        if self.current.get(name) != fencing_token:
            return
        _, ids = self.forget(key)
        to_call = [self.callbacks.pop(id) for id in ids if id in self.callbacks]
        failures = []
        for on_lost in to_call:
            if on_lost is not None:
                try:
                    on_lost()
                except Exception as failure:
                    failures.append(failure)
        if failures:
            raise ExceptionGroup(f"{len(failures)} on_lost of {name!r} failed", failures)
