# A handle delegates to its state, one of three objects; the registry knows holders by a key object that each grant gets.
from leasehold import Signal


class HeldState:
    def is_held(self, handle):
        return True

    async def release(self, handle, owner):
        if owner != handle.key.owner:
            raise RuntimeError("only the owner may release")
        handle.become(RELEASED)
        if handle.key.last():
            await handle.key.registry.end(handle.key)


class OverState:
    def is_held(self, handle):
        return False

    async def release(self, handle, owner):
        if owner != handle.key.owner:
            raise RuntimeError("only the owner may release")


HELD, RELEASED, LOST = HeldState(), OverState(), OverState()


class Handle:
    def __init__(self, key, on_lost):
        self.key = key
        self.state = HELD
        self.on_lost = on_lost

    @property
    def fencing_token(self):
        return self.key.grant.fencing_token

    def become(self, state):
        self.state = state

    def is_held(self):
        return self.state.is_held(self)

    async def release(self, owner):
        await self.state.release(self, owner)


class Key:
    def __init__(self, registry, owner, grant):
        self.registry = registry
        self.owner = owner
        self.grant = grant
        self.handles = []

    def handle(self, on_lost):
        self.handles.append(Handle(self, on_lost))
        return self.handles[-1]

    def last(self):
        return all(handle.state is not HELD for handle in self.handles)


class Slot:
    """What is known of one name."""

    def __init__(self):
        self.key = None
        self.caller = None
        self.ended = None


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.slots = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        slot = self.slots.setdefault(name, Slot())
        while slot.key is None:
            if slot.ended is None:
                if not await self.fetch(slot, name, ttl, owner):
                    return None
                return slot.key.handle(on_lost)
            if slot.caller != owner:
                return None
            await slot.ended.wait()
        return slot.key.handle(on_lost) if slot.key.owner == owner else None

    async def fetch(self, slot, name, ttl, owner):
        slot.caller, slot.ended = owner, Signal()
        try:
            grant = await self.service.acquire(name, ttl)
        finally:
            slot.ended.set()
            slot.caller = slot.ended = None
        if grant is not None:
            slot.key = Key(self, owner, grant)
        return grant is not None

    async def end(self, key):
        self.slots[key.grant.name].key = None
        await self.service.release(key.grant.name, key.grant.ownership_token)

    def lost(self, name, fencing_token):
        slot = self.slots.get(name)
        if slot is None or slot.key is None or slot.key.grant.fencing_token != fencing_token:
            return
        key, slot.key = slot.key, None
        hit = [handle for handle in key.handles if handle.state is HELD]
        for handle in hit:
            handle.become(LOST)
        for handle in hit:
            try:
                if handle.on_lost is not None:
                    handle.on_lost()
            except Exception:
                continue
