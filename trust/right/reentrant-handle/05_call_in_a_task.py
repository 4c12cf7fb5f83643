# The call runs in a task of its own that belongs to all who wait for it; if none of them is left, it gives the grant back.
from leasehold import Cancelled, Signal, TransportError, spawn


class Handle:
    def __init__(self, shared, owner, on_lost):
        self._shared = shared
        self._owner = owner
        self._on_lost = on_lost
        self._held = True
        self.fencing_token = shared.grant.fencing_token

    def is_held(self):
        return self._held

    async def release(self, owner):
        if self._owner != owner:
            raise RuntimeError(f"{owner!r} is not {self._owner!r}")
        if self._held:
            self._held = False
            await self._shared.remove(self)


class Shared:
    """What all handles of one grant share."""

    def __init__(self, registry, owner, grant):
        self.registry, self.owner, self.grant = registry, owner, grant
        self.handles = set()

    def add(self, on_lost):
        handle = Handle(self, self.owner, on_lost)
        self.handles.add(handle)
        return handle

    async def remove(self, handle):
        self.handles.discard(handle)
        if not self.handles:
            self.registry.forget(self)
            await self.registry.return_to_service(self.grant)


class Waiter:
    def __init__(self, on_lost):
        self.on_lost = on_lost
        self.handle = None


class Call:
    """One acquire() of the service, for one owner, with everybody who waits for it."""

    def __init__(self, registry, name, ttl, owner):
        self.registry, self.name, self.ttl, self.owner = registry, name, ttl, owner
        self.waiters = []
        self.ended = Signal()
        self.error = None
        spawn(self.run())

    async def run(self):
        grant = None
        try:
            grant = await self.registry.service.acquire(self.name, self.ttl)
        except Exception as error:
            self.error = error
        finally:
            del self.registry.calls[self.name]
        if grant is not None and self.waiters:
            shared = Shared(self.registry, self.owner, grant)
            self.registry.held[self.name] = shared
            for waiter in self.waiters:
                waiter.handle = shared.add(waiter.on_lost)
        self.ended.set()
        if grant is not None and not self.waiters:
            await self.registry.return_to_service(grant)

    async def result(self, on_lost):
        waiter = Waiter(on_lost)
        self.waiters.append(waiter)
        try:
            await self.ended.wait()
        except Cancelled:
            self.waiters.remove(waiter)
            if waiter.handle is not None:
                spawn(waiter.handle.release(self.owner))
            raise
        if self.error is not None:
            raise self.error
        return waiter.handle


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.held = {}
        self.calls = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        if name in self.held:
            shared = self.held[name]
            return shared.add(on_lost) if shared.owner == owner else None
        if name not in self.calls:
            self.calls[name] = Call(self, name, ttl, owner)
        call = self.calls[name]
        if call.owner != owner:
            return None
        return await call.result(on_lost)

    async def return_to_service(self, grant):
        try:
            await self.service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass

    def forget(self, shared):
        if self.held.get(shared.grant.name) is shared:
            del self.held[shared.grant.name]

    def lost(self, name, fencing_token):
        shared = self.held.get(name)
        if shared is None or shared.grant.fencing_token != fencing_token:
            return
        self.forget(shared)
        handles = list(shared.handles)
        shared.handles.clear()
        for handle in handles:
            handle._held = False
        for handle in handles:
            try:
                if handle._on_lost is not None:
                    handle._on_lost()
            except Exception:
                pass
