# Each name is in one of four states, an object each, and acquire() is a match statement in a loop.
from dataclasses import dataclass, field

from leasehold import Signal


@dataclass(frozen=True)
class Free:
    pass


@dataclass(frozen=True)
class Asking:
    owner: str
    ended: Signal


@dataclass(frozen=True)
class Held:
    owner: str
    grant: object
    handles: list = field(default_factory=list)


@dataclass(frozen=True)
class Returning:
    ended: Signal


class Handle:
    def __init__(self, registry, held, on_lost):
        self._registry = registry
        self._held = held
        self._on_lost = on_lost
        self.fencing_token = held.grant.fencing_token
        held.handles.append(self)

    def is_held(self):
        return any(h is self for h in self._held.handles)

    async def release(self, owner):
        match self.is_held(), owner == self._held.owner:
            case False, _:
                return
            case True, False:
                raise RuntimeError("release by a stranger")
            case True, True:
                self._held.handles.remove(self)
                if not self._held.handles:
                    await self._registry._return(self._held.grant)


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._names = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while True:
            match self._names.get(name, Free()):
                case Held(owner=holder) as held if holder == owner:
                    return Handle(self, held, on_lost)
                case Held():
                    return None
                case Asking(ended=ended) | Returning(ended=ended):
                    await ended.wait()
                case Free():
                    return await self._ask(name, ttl, owner, on_lost)

    async def _ask(self, name, ttl, owner, on_lost):
        asking = self._names[name] = Asking(owner, Signal())
        after = Free()
        try:
            grant = await self._service.acquire(name, ttl)
            if grant is None:
                return None
            after = Held(owner, grant)
            return Handle(self, after, on_lost)
        finally:
            self._names[name] = after
            asking.ended.set()

    async def _return(self, grant):
        returning = self._names[grant.name] = Returning(Signal())
        try:
            await self._service.release(grant.name, grant.ownership_token)
        finally:
            self._names[grant.name] = Free()
            returning.ended.set()

    def lost(self, name, fencing_token):
        match self._names.get(name):
            case Held(grant=grant, handles=handles) if grant.fencing_token == fencing_token:
                self._names[name] = Free()
                victims = tuple(handles)
                handles.clear()
                for victim in victims:
                    if victim._on_lost:
                        try:
                            victim._on_lost()
                        except Exception as error:
                            print("on_lost failed:", error)
