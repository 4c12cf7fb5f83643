# Lookup goes through a registering base class of answers, the exceptions of on_lost pass as a group, and attrgetter sorts the handles.
import itertools
from operator import attrgetter

from leasehold import Signal


class Handle:
    numbers = itertools.count()

    def __init__(self, grant, owner, on_lost, give_back):
        self.number = next(self.numbers)
        self.grant = grant
        self.owner = owner
        self.on_lost = on_lost
        self.give_back = give_back
        self.held = True

    fencing_token = property(attrgetter("grant.fencing_token"))

    def is_held(self):
        return self.held

    async def release(self, owner):
        if owner != self.owner:
            raise RuntimeError(f"{owner=} is not {self.owner!r}")
        if self.held:
            self.held = False
            await self.give_back(self)


class Answer:
    """What an acquire finds. The first subclass that applies answers."""

    kinds = []

    def __init_subclass__(cls):
        Answer.kinds.append(cls)


class Mine(Answer):
    @staticmethod
    def applies(registry, name, owner):
        return name in registry.handles and next(iter(registry.handles[name])).owner == owner

    @staticmethod
    async def answer(registry, name, ttl, owner, on_lost):
        return registry.add(next(iter(registry.handles[name])).grant, owner, on_lost)


class Theirs(Answer):
    @staticmethod
    def applies(registry, name, owner):
        return name in registry.handles or registry.callers.get(name, (owner,))[0] != owner

    @staticmethod
    async def answer(registry, name, ttl, owner, on_lost):
        return None


class UnderWay(Answer):
    @staticmethod
    def applies(registry, name, owner):
        return name in registry.callers

    @staticmethod
    async def answer(registry, name, ttl, owner, on_lost):
        await registry.callers[name][1].wait()
        return await registry.acquire(name, ttl, owner, on_lost)


class Free(Answer):
    @staticmethod
    def applies(registry, name, owner):
        return True

    @staticmethod
    async def answer(registry, name, ttl, owner, on_lost):
        registry.callers[name] = owner, (ended := Signal())
        try:
            grant = await registry.service.acquire(name, ttl)
            return grant and registry.add(grant, owner, on_lost)
        finally:
            del registry.callers[name]
            ended.set()


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.handles = {}  # name: a set of handles, never an empty one
        self.callers = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        kind = next(kind for kind in Answer.kinds if kind.applies(self, name, owner))
        return await kind.answer(self, name, ttl, owner, on_lost)

    def add(self, grant, owner, on_lost):
        handle = Handle(grant, owner, on_lost, self.give_back)
        self.handles.setdefault(grant.name, set()).add(handle)
        return handle

    async def give_back(self, handle):
        name = handle.grant.name
        self.handles[name].remove(handle)
        if not self.handles[name]:
            del self.handles[name]
            await self.service.release(name, handle.grant.ownership_token)

    def lost(self, name, fencing_token):
        handles = self.handles.get(name, ())
        if fencing_token not in map(attrgetter("fencing_token"), handles):
            return
        del self.handles[name]
        for handle in handles:
            handle.held = False
        errors = []
        for handle in sorted(handles, key=attrgetter("number")):
            try:
                handle.on_lost and handle.on_lost()
            except Exception as error:
                errors.append(error)
        try:
            if errors:
                raise ExceptionGroup("on_lost", errors)
        except* RuntimeError as group:
            print("ignored:", *group.exceptions)
