# killed-by: handles_of_a_lost_grant_do_not_touch_the_next_one
# bug: The loss forgets the grant and not the count: the next one begins at 2, and its last release never comes.
from leasehold import Signal


class Handle:
    def __init__(self, registry, grant, owner, on_lost):
        self._registry = registry
        self._name = grant.name
        self._owner = owner
        self._on_lost = on_lost
        self._over = False
        self.fencing_token = grant.fencing_token

    def is_held(self):
        return not self._over

    def lose(self):
        self._over = True
        return self._on_lost

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError(f"this handle is {self._owner}'s, not {owner}'s")
        if self._over:
            return
        self._over = True
        await self._registry.drop(self._name, self)


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._grants = {}
        self._owners = {}
        self._counts = {}
        self._handles = {}
        self._calls = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name in self._calls:
            asker, ended = self._calls[name]
            if asker != owner:
                return None
            await ended.wait()
        if name not in self._grants:
            ended = Signal()
            self._calls[name] = owner, ended
            try:
                grant = await self._service.acquire(name, ttl)
            finally:
                del self._calls[name]
                ended.set()
            if grant is None:
                return None
            self._grants[name], self._owners[name] = grant, owner
            self._counts.setdefault(name, 0)
            self._handles[name] = []
        elif self._owners[name] != owner:
            return None
        handle = Handle(self, self._grants[name], owner, on_lost)
        self._counts[name] += 1
        self._handles[name].append(handle)
        return handle

    async def drop(self, name, handle):
        if name not in self._grants:
            return
        self._counts[name] -= 1
        if handle in self._handles[name]:
            self._handles[name].remove(handle)
        if self._counts[name] == 0:
            grant = self._grants.pop(name)
            await self._service.release(name, grant.ownership_token)

    def lost(self, name, fencing_token):
        grant = self._grants.get(name)
        if grant is None or grant.fencing_token != fencing_token:
            return
        del self._grants[name]
        handles, self._handles[name] = self._handles[name], []
        for on_lost in [handle.lose() for handle in handles]:
            try:
                if on_lost is not None:
                    on_lost()
            except Exception as problem:
                print(f"on_lost raised {problem!r}")
