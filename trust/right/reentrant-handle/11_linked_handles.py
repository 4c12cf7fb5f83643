# The handles of a grant form a chain, each knowing the one it was acquired under; the book points at the newest one.
import contextlib

from leasehold import Signal


class Handle:
    def __init__(self, registry, grant, owner, on_lost, below):
        self.registry = registry
        self.grant = grant
        self.owner = owner
        self.on_lost = on_lost
        self.below = below  # the next older one of the same grant, or None
        self.held = True
        self.fencing_token = grant.fencing_token

    def is_held(self):
        return self.held

    def chain(self):
        handle = self
        while handle is not None:
            yield handle
            handle = handle.below

    async def release(self, owner):
        if self.owner != owner:
            raise RuntimeError(f"{self.owner!r} holds this, {owner!r} does not")
        if not self.held:
            return
        self.held = False
        top = self.registry.top[self.grant.name]
        # Take those off the top that are over; one below that is over stays in the chain until it comes up.
        while top is not None and not top.held:
            top = top.below
        if top is not None:
            self.registry.top[self.grant.name] = top
        else:
            del self.registry.top[self.grant.name]
            await self.registry.service.release(self.grant.name, self.grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.top = {}
        self.callers = {}

    @contextlib.contextmanager
    def calling(self, name, owner):
        self.callers[name] = owner, Signal()
        try:
            yield
        finally:
            self.callers.pop(name)[1].set()

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name in self.callers and name not in self.top:
            caller, ended = self.callers[name]
            if caller != owner:
                return None
            await ended.wait()
        top = self.top.get(name)
        if top is None:
            with self.calling(name, owner):
                grant = await self.service.acquire(name, ttl)
        elif top.owner == owner:
            grant = top.grant
        else:
            return None
        if grant is not None:
            self.top[name] = Handle(self, grant, owner, on_lost, top)
            return self.top[name]

    def lost(self, name, fencing_token):
        top = self.top.get(name)
        if top is None or top.fencing_token != fencing_token:
            return
        del self.top[name]
        victims = [handle for handle in top.chain() if handle.held]
        for handle in victims:
            handle.held = False
        with contextlib.ExitStack() as stack:
            # The stack calls all of them, whatever each of them raises.
            for handle in victims:
                if handle.on_lost is not None:
                    stack.callback(handle.on_lost)
