# acquire() is a plain function that returns a coroutine; handles are made by a factory, and their class is not called Handle.
from leasehold import Signal


class _Slot:
    __slots__ = ("owner", "grant", "live", "pending")

    def __init__(self):
        self.clear()
        self.pending = None

    def clear(self):
        self.owner = self.grant = None
        self.live = {}


def _nested(registry, slot, on_lost):
    grant, owner, live = slot.grant, slot.owner, slot.live

    class Acquired:
        __slots__ = ()
        fencing_token = grant.fencing_token

        def is_held(self):
            return self in live

        async def release(self, by):
            if self not in live:
                return
            if by != owner:
                raise RuntimeError(by)
            del live[self]
            if not live:
                slot.clear()
                await registry._service.release(grant.name, grant.ownership_token)

    acquired = Acquired()
    live[acquired] = on_lost
    return acquired


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._slots = {}

    def acquire(self, name, ttl, owner, on_lost=None):
        return self._acquire(self._slots.setdefault(name, _Slot()), name, ttl, owner, on_lost)

    async def _acquire(self, slot, name, ttl, owner, on_lost):
        while slot.grant is None and slot.pending is not None:
            asker, done = slot.pending
            if asker != owner:
                return None
            await done.wait()
        if slot.grant is None:
            slot.pending = owner, Signal()
            try:
                grant = await self._service.acquire(name, ttl)
            finally:
                (_, done), slot.pending = slot.pending, None
                done.set()
            if grant is None:
                return None
            slot.grant, slot.owner = grant, owner
        return _nested(self, slot, on_lost) if slot.owner == owner else None

    def lost(self, name, fencing_token):
        slot = self._slots.get(name)
        if slot is None or slot.grant is None or slot.grant.fencing_token != fencing_token:
            return
        callbacks = [on_lost for on_lost in slot.live.values() if on_lost is not None]
        slot.live.clear()
        slot.clear()
        for on_lost in callbacks:
            try:
                on_lost()
            except Exception:
                pass
