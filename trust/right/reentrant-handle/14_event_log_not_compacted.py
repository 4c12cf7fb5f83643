# Event sourcing: the registry appends what happened to a log for each name, and every question is answered by folding it.
from collections import defaultdict
from functools import reduce
from typing import NamedTuple

from leasehold import Signal


class Granted(NamedTuple):
    owner: str
    grant: object


class Entered(NamedTuple):
    handle: object


class Left(NamedTuple):
    handle: object


class Lost(NamedTuple):
    pass


class View(NamedTuple):
    owner: object = None
    grant: object = None
    inside: tuple = ()


def apply(view, event):
    match event:
        case Granted(owner, grant):
            return View(owner, grant)
        case Entered(handle):
            return view._replace(inside=view.inside + (handle,))
        case Left(handle):
            rest = tuple(h for h in view.inside if h is not handle)
            return view._replace(inside=rest) if rest else View()
        case Lost():
            return View()


class Handle:
    def __init__(self, registry, name, grant, owner, on_lost):
        self._registry = registry
        self._name = name
        self._grant = grant
        self._owner = owner
        self.on_lost = on_lost
        self.fencing_token = grant.fencing_token

    def is_held(self):
        return any(self is h for h in self._registry.view(self._name).inside)

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError(f"owner is {self._owner!r}")
        if self.is_held():
            self._registry.record(self._name, Left(self))
            if self._registry.view(self._name).grant is None:
                await self._registry.service.release(self._name, self._grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.logs = defaultdict(list)
        self.calls = {}

    def view(self, name):
        return reduce(apply, self.logs[name], View())

    def record(self, name, event):
        self.logs[name].append(event)
        if self.view(name) == View():
            # Nobody holds it: what was before does not matter any more.
            self.logs[name].clear()

    async def acquire(self, name, ttl, owner, on_lost=None):
        view = self.view(name)
        if view.grant is None and name in self.calls:
            caller, ended = self.calls[name]
            if caller != owner:
                return None
            await ended.wait()
            return await self.acquire(name, ttl, owner, on_lost)
        if view.grant is not None and view.owner != owner:
            return None
        grant = view.grant
        if grant is None:
            ended = Signal()
            self.calls[name] = owner, ended
            try:
                grant = await self.service.acquire(name, ttl)
                if grant is None:
                    return None
                self.record(name, Granted(owner, grant))
            finally:
                del self.calls[name]
                ended.set()
        handle = Handle(self, name, grant, owner, on_lost)
        self.record(name, Entered(handle))
        return handle

    def lost(self, name, fencing_token):
        view = self.view(name)
        if view.grant is None or view.grant.fencing_token != fencing_token:
            return
        self.record(name, Lost())
        failed = []
        for handle in view.inside:
            try:
                if handle.on_lost is not None:
                    handle.on_lost()
            except Exception as e:
                failed.append(e)
        for e in failed:
            raise e
