"""The call is a task that all of its owner's tasks await; each handle has a state, and who is held is counted anew."""

import enum

from leasehold import TransportError, spawn


class State(enum.Enum):
    HELD = 1
    RELEASED = 2
    LOST = 3


class NotYours(RuntimeError):
    pass


class Entry:
    def __init__(self, grant, owner):
        self.grant, self.owner, self.handles = grant, owner, set()


class Call:
    def __init__(self, owner):
        self.owner, self.task, self.used = owner, None, False


class Handle:
    def __init__(self, registry, entry, on_lost):
        self.registry, self.entry, self.on_lost = registry, entry, on_lost
        self.state = State.HELD
        entry.handles.add(self)

    @property
    def fencing_token(self):
        return self.entry.grant.fencing_token

    def is_held(self):
        return self.state is State.HELD

    async def release(self, owner):
        if self.entry.owner != owner:
            raise NotYours(owner)
        if self.state is not State.HELD:
            return False
        self.state = State.RELEASED
        if any(handle.is_held() for handle in self.entry.handles):
            return False
        grant = self.entry.grant
        self.registry.entries.pop(grant.name)
        return await self.registry.service.release(grant.name, grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.entries = {}
        self.calls = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while True:
            entry = self.entries.get(name)
            if entry is not None:
                return Handle(self, entry, on_lost) if entry.owner == owner else None
            call = self.calls.get(name)
            if call is None:
                call = self.calls[name] = Call(owner)
                call.task = spawn(self.ask(name, ttl))
            elif call.owner != owner:
                return None
            grant = await call.task
            if isinstance(grant, TransportError):
                raise grant
            if grant is None:
                return None
            if not call.used:
                call.used = True
                self.entries[name] = Entry(grant, owner)

    async def ask(self, name, ttl):
        try:
            return await self.service.acquire(name, ttl)
        except TransportError as problem:
            # For all who wait, if anybody does.
            return problem
        finally:
            del self.calls[name]

    def lost(self, name, fencing_token):
        entry = self.entries.get(name)
        if entry is None or entry.grant.fencing_token != fencing_token:
            return
        del self.entries[name]
        tell = [handle for handle in entry.handles if handle.is_held()]
        for handle in tell:
            handle.state = State.LOST
        self.tell(tell)

    def tell(self, handles):
        while handles:
            on_lost = handles.pop().on_lost
            if on_lost is not None:
                try:
                    on_lost()
                except Exception:
                    self.tell(handles)
                    raise
