# A Hold stands for one grant and knows its live handles; the book maps a name to its Hold, and a Signal marks a call under way.
from leasehold import Signal


class Hold:
    def __init__(self, name, owner, grant):
        self.name = name
        self.owner = owner
        self.grant = grant
        self.handles = []


class Handle:
    def __init__(self, registry, hold, on_lost):
        self._registry = registry
        self._hold = hold
        self._on_lost = on_lost
        self.fencing_token = hold.grant.fencing_token
        hold.handles.append(self)

    def is_held(self):
        return self in self._hold.handles

    async def release(self, owner):
        if owner != self._hold.owner:
            raise RuntimeError(f"{owner!r} did not acquire this")
        if self in self._hold.handles:
            self._hold.handles.remove(self)
            if not self._hold.handles:
                await self._registry._give_back(self._hold)


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._holds = {}
        self._calls = {}  # name: (owner, Signal)

    async def acquire(self, name, ttl, owner, on_lost=None):
        while True:
            hold = self._holds.get(name)
            if hold is not None:
                return Handle(self, hold, on_lost) if hold.owner == owner else None
            if name not in self._calls:
                break
            caller, ended = self._calls[name]
            if caller != owner:
                return None
            await ended.wait()
        ended = Signal()
        self._calls[name] = owner, ended
        try:
            grant = await self._service.acquire(name, ttl)
        finally:
            del self._calls[name]
            ended.set()
        if grant is None:
            return None
        self._holds[name] = hold = Hold(name, owner, grant)
        return Handle(self, hold, on_lost)

    async def _give_back(self, hold):
        del self._holds[hold.name]
        await self._service.release(hold.name, hold.grant.ownership_token)

    def lost(self, name, fencing_token):
        hold = self._holds.get(name)
        if hold is None or hold.grant.fencing_token != fencing_token:
            return
        del self._holds[name]
        handles, hold.handles = hold.handles, []
        for handle in handles:
            if handle._on_lost is not None:
                try:
                    handle._on_lost()
                except Exception:
                    pass
