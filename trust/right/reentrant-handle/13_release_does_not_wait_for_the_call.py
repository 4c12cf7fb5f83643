# Giving back is left to a task of its own, so that a cancelled releaser does not stop it; the newest handle hears of a loss first.
from leasehold import Signal, TransportError, spawn


class Handle:
    def __init__(self, group, on_lost):
        self._group = group
        self._on_lost = on_lost
        self._over = Signal()
        self.fencing_token = group.grant.fencing_token
        group.handles.append(self)

    def is_held(self):
        return not self._over.is_set()

    async def release(self, owner):
        if owner != self._group.owner:
            raise RuntimeError("a release by another owner")
        if self.is_held():
            self._over.set()
            self._group.shrink()


class Group:
    def __init__(self, registry, owner, grant):
        self.registry = registry
        self.owner = owner
        self.grant = grant
        self.handles = []

    def shrink(self):
        self.handles = [handle for handle in self.handles if handle.is_held()]
        if not self.handles:
            self.registry.groups.pop(self.grant.name)
            spawn(self.give_back())

    async def give_back(self):
        try:
            await self.registry.service.release(self.grant.name, self.grant.ownership_token)
        except TransportError:
            pass

    def fail(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle._over.set()
        while handles:
            on_lost = handles.pop()._on_lost
            try:
                if on_lost is not None:
                    on_lost()
            except Exception:
                pass


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.groups = {}
        self.calls = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name not in self.groups:
            if name not in self.calls:
                ended = Signal()
                self.calls[name] = (owner, ended)
                try:
                    grant = await self.service.acquire(name, ttl)
                    if grant is None:
                        return None
                    group = self.groups[name] = Group(self, owner, grant)
                    return Handle(group, on_lost)
                finally:
                    del self.calls[name]
                    ended.set()
            elif self.calls[name][0] == owner:
                await self.calls[name][1].wait()
            else:
                return None
        group = self.groups[name]
        return Handle(group, on_lost) if group.owner == owner else None

    def lost(self, name, fencing_token):
        group = self.groups.get(name)
        if group is not None and group.grant.fencing_token == fencing_token:
            del self.groups[name]
            group.fail()
