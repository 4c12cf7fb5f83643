# Small steps that raise when they are not the right one: nested or else refused or else joined or else asked.
from contextlib import suppress

from leasehold import Signal, TransportError


class NotInTheBook(LookupError):
    pass


class Refused(Exception):
    pass


class LookAgain(Exception):
    pass


class Handle:
    def __init__(self, entry, on_lost):
        self._entry = entry
        self._on_lost = on_lost
        self.fencing_token = entry.grant.fencing_token

    def is_held(self):
        return self._entry is not None

    def _end(self):
        entry, self._entry = self._entry, None
        return entry

    async def release(self, owner):
        if self._entry is None:
            return
        if self._entry.owner != owner:
            raise RuntimeError(f"held by {self._entry.owner!r}")
        await self._end().drop(self)


class Entry:
    def __init__(self, registry, name, owner, grant):
        self.registry, self.name, self.owner, self.grant = registry, name, owner, grant
        self.handles = {}

    def another(self, on_lost):
        handle = Handle(self, on_lost)
        self.handles[id(handle)] = handle
        return handle

    async def drop(self, handle):
        del self.handles[id(handle)]
        if not self.handles:
            del self.registry.entries[self.name]
            with suppress(TransportError):
                await self.registry.service.release(self.name, self.grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.entries = {}
        self.under_way = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while True:
            try:
                return self.nested(name, owner).another(on_lost)
            except Refused:
                return None
            except NotInTheBook:
                pass
            try:
                await self.join(name, owner)
                return (await self.ask(name, ttl, owner)).another(on_lost)
            except LookAgain:
                continue
            except Refused:
                return None

    def nested(self, name, owner):
        try:
            entry = self.entries[name]
        except KeyError:
            raise NotInTheBook(name) from None
        if entry.owner != owner:
            raise Refused
        return entry

    async def join(self, name, owner):
        if name in self.under_way:
            who, ended = self.under_way[name]
            if who != owner:
                raise Refused
            await ended.wait()
            raise LookAgain

    async def ask(self, name, ttl, owner):
        ended = Signal()
        self.under_way[name] = (owner, ended)
        try:
            grant = await self.service.acquire(name, ttl)
            if grant is None:
                raise Refused
            self.entries[name] = Entry(self, name, owner, grant)
            return self.entries[name]
        finally:
            del self.under_way[name]
            ended.set()

    def lost(self, name, fencing_token):
        entry = self.entries.get(name)
        if entry and entry.grant.fencing_token == fencing_token:
            del self.entries[name]
            handles = [*entry.handles.values()]
            for handle in handles:
                handle._end()
            for handle in handles:
                with suppress(Exception):
                    if handle._on_lost is not None:
                        handle._on_lost()
