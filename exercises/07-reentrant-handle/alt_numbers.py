"""Handles are numbers in a table by name and token. Everybody waits for whatever is under way, a release included."""

from leasehold import Signal, TransportError


class Handle:
    def __init__(self, registry, key, owner, number):
        self.registry, self.key, self.owner, self.number = registry, key, owner, number
        _, self.fencing_token = key

    def is_held(self):
        return self.number in self.registry.alive.get(self.key, {})

    async def release(self, owner):
        if self.owner != owner:
            raise RuntimeError(f"not {owner}'s")
        if self.is_held():
            del self.registry.alive[self.key][self.number]
            if not self.registry.alive[self.key]:
                await self.registry.give_back(self.key)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.current = {}
        self.alive = {}
        self.under_way = {}
        self.numbers = 0

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name not in self.current:
            if name in self.under_way:
                await self.under_way[name].wait()
                continue
            with Way(self.under_way, name):
                grant = await self.service.acquire(name, ttl)
                if grant is None:
                    return None
                self.current[name] = grant, owner
                self.alive[name, grant.fencing_token] = {}
        grant, holder = self.current[name]
        if holder != owner:
            return None
        self.numbers += 1
        key = name, grant.fencing_token
        self.alive[key][self.numbers] = on_lost
        return Handle(self, key, owner, self.numbers)

    async def give_back(self, key):
        del self.alive[key]
        name, _ = key
        grant, _ = self.current.pop(name)
        with Way(self.under_way, name):
            try:
                await self.service.release(name, grant.ownership_token)
            except TransportError:
                pass

    def lost(self, name, fencing_token):
        callbacks = self.alive.pop((name, fencing_token), None)
        if callbacks is None:
            return
        del self.current[name]
        last = None
        for on_lost in reversed(callbacks.values()):
            try:
                if on_lost:
                    on_lost()
            except Exception as problem:
                last = problem
        if last:
            raise last


class Way:
    """Something is under way, from here to the end of the block, however it ends."""

    def __init__(self, table, name):
        self.table, self.name = table, name

    def __enter__(self):
        self.table[self.name] = Signal()

    def __exit__(self, *exception):
        self.table.pop(self.name).set()
