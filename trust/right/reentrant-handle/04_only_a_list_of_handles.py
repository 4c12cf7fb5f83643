# There is no book and no count: the registry keeps one list of live handles, and everything else is asked of it.
from leasehold import Signal


class Handle:
    def __init__(self, registry, grant, owner, on_lost):
        self._registry = registry
        self._grant = grant
        self._owner = owner
        self._on_lost = on_lost
        self.fencing_token = grant.fencing_token

    def is_held(self):
        return any(handle is self for handle in self._registry._live)

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError("this handle was acquired by another owner")
        if self.is_held():
            self._registry._live.remove(self)
            if not self._registry._of(self._grant.name):
                await self._registry._service.release(self._grant.name, self._grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._live = []
        self._asking = []  # (name, owner, Signal)

    def _of(self, name):
        return [handle for handle in self._live if handle._grant.name == name]

    async def acquire(self, name, ttl, owner, on_lost=None):
        if held := self._of(name):
            if held[0]._owner != owner:
                return None
            grant = held[0]._grant
        elif under_way := [call for call in self._asking if call[0] == name]:
            _, caller, ended = under_way[0]
            if caller == owner:
                await ended.wait()
                return await self.acquire(name, ttl, owner, on_lost)
            return None
        else:
            call = name, owner, Signal()
            self._asking.append(call)
            try:
                grant = await self._service.acquire(name, ttl)
            finally:
                self._asking.remove(call)
                call[2].set()
            if grant is None:
                return None
        handle = Handle(self, grant, owner, on_lost)
        self._live.append(handle)
        return handle

    def lost(self, name, fencing_token):
        gone = [handle for handle in self._of(name) if handle.fencing_token == fencing_token]
        self._live = [handle for handle in self._live if handle not in gone]
        self._tell(gone)

    def _tell(self, handles):
        if not handles:
            return
        try:
            if handles[0]._on_lost is not None:
                handles[0]._on_lost()
        finally:
            self._tell(handles[1:])
