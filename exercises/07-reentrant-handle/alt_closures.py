"""Handles are closures over a tuple of name, token and number; the owners stand in a table of their own."""

from types import SimpleNamespace

from leasehold import Signal


def registry(service):
    owners = {}
    grants = {}
    alive = {}
    busy = {}
    numbers = iter(range(1, 10**9))

    def forget(name):
        grants.pop(name)
        owners.pop(name)
        return alive.pop(name)

    def make(name, owner, on_lost):
        grant, number = grants[name], next(numbers)
        mine = alive[name]
        mine[number] = on_lost

        def is_held():
            return number in mine

        async def release(by):
            if by != owner:
                raise RuntimeError(f"{by} is not {owner}")
            if mine.pop(number, release) is release or mine:
                return
            forget(name)
            await service.release(name, grant.ownership_token)

        return SimpleNamespace(fencing_token=grant.fencing_token, is_held=is_held, release=release)

    async def acquire(name, ttl, owner, on_lost=None):
        while True:
            if name in owners:
                return make(name, owner, on_lost) if owners[name] == owner else None
            if name not in busy:
                break
            await busy[name].wait()
        busy[name] = Signal()
        try:
            grant = await service.acquire(name, ttl)
        finally:
            busy.pop(name).set()
        if grant is not None:
            grants[name], owners[name], alive[name] = grant, owner, {}
            return make(name, owner, on_lost)

    def lost(name, fencing_token):
        if name in grants and grants[name].fencing_token == fencing_token:
            mine = forget(name)
            callbacks = list(filter(None, mine.values()))
            mine.clear()
            while callbacks:
                try:
                    callbacks.pop()()
                except Exception:
                    pass

    return acquire, lost


class LockRegistry:
    def __init__(self, service):
        self._acquire, self._lost = registry(service)

    def acquire(self, *args, **more):
        return self._acquire(*args, **more)

    def lost(self, *args, **more):
        self._lost(*args, **more)
