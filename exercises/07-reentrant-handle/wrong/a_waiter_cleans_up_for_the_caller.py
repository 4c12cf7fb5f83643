# killed-by: a_cancelled_call_leaves_nobody_waiting
# bug: A task that only waits for the call takes it off the list when it is cancelled: the next one sends a second call beside the first.
from leasehold import Signal


class Handle:
    def __init__(self, registry, holding, on_lost):
        self._registry = registry
        self._holding = holding
        self.on_lost = on_lost
        self.fencing_token = holding.grant.fencing_token

    def is_held(self):
        return self in self._holding.handles

    async def release(self, owner):
        if owner != self._holding.owner:
            raise RuntimeError(f"this handle is {self._holding.owner}'s, not {owner}'s")
        if self.is_held():
            await self._registry.drop(self._holding, self)


class Holding:
    """One grant, its owner, and the handles of it that are held. Whoever is not in here can't change it."""

    def __init__(self, grant, owner):
        self.grant = grant
        self.owner = owner
        self.handles = []


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._holdings = {}
        #: By name: whose call is under way, and what is set when it has ended.
        self._calls = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while name in self._calls:
            asker, ended = self._calls[name]
            if asker != owner:
                return None
            try:
                await ended.wait()
            except BaseException:
                self._calls.pop(name, None)
                raise
        holding = self._holdings.get(name)
        if holding is None:
            holding = await self._ask(name, ttl, owner)
        if holding is None or holding.owner != owner:
            return None
        handle = Handle(self, holding, on_lost)
        holding.handles.append(handle)
        return handle

    async def _ask(self, name, ttl, owner):
        ended = Signal()
        self._calls[name] = owner, ended
        try:
            grant = await self._service.acquire(name, ttl)
        finally:
            self._calls.pop(name, None)
            ended.set()
        if grant is None:
            return None
        self._holdings[name] = Holding(grant, owner)
        return self._holdings[name]

    async def drop(self, holding, handle):
        holding.handles.remove(handle)
        if not holding.handles:
            # Before the call, not after it: whoever asks from now on must not join what is being given back.
            del self._holdings[holding.grant.name]
            await self._service.release(holding.grant.name, holding.grant.ownership_token)

    def lost(self, name, fencing_token):
        holding = self._holdings.get(name)
        if holding is None or holding.grant.fencing_token != fencing_token:
            return
        del self._holdings[name]
        handles, holding.handles = holding.handles, []
        for handle in handles:
            try:
                if handle.on_lost is not None:
                    handle.on_lost()
            except Exception as problem:
                print(f"on_lost raised {problem!r}")
