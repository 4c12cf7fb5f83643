# A Mutex for each name lets one call at a time out, whoever's it is; everybody else waits for it and then looks.
from collections import defaultdict

from leasehold import Mutex, TransportError


class Handle:
    def __init__(self, registry, grant, owner, on_lost):
        self.registry, self.grant, self.owner, self.on_lost = registry, grant, owner, on_lost
        self.fencing_token = grant.fencing_token
        self.state = "held"

    def is_held(self):
        return self.state == "held"

    async def release(self, owner):
        if self.state != "held":
            return
        if not owner == self.owner:
            raise RuntimeError("not yours")
        self.state = "released"
        await self.registry.handle_released(self.grant)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.mutexes = defaultdict(Mutex)
        self.book = {}  # name: (owner, grant, [handles])

    def look(self, name, owner, on_lost):
        """A handle; or None: refused; or False: nobody holds it."""
        if name not in self.book:
            return False
        holder, grant, handles = self.book[name]
        if holder != owner:
            return None
        handle = Handle(self, grant, owner, on_lost)
        handles.append(handle)
        return handle

    async def acquire(self, name, ttl, owner, on_lost=None):
        found = self.look(name, owner, on_lost)
        if found is not False:
            return found
        async with self.mutexes[name]:
            found = self.look(name, owner, on_lost)
            if found is not False:
                return found
            grant = await self.service.acquire(name, ttl)
            if grant is None:
                return None
            self.book[name] = owner, grant, []
            return self.look(name, owner, on_lost)

    async def handle_released(self, grant):
        owner, current, handles = self.book[grant.name]
        handles[:] = [handle for handle in handles if handle.state == "held"]
        if handles:
            return
        del self.book[grant.name]
        try:
            await self.service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass

    def lost(self, name, fencing_token):
        if name in self.book and self.book[name][1].fencing_token == fencing_token:
            handles = self.book.pop(name)[2]
            for handle in handles:
                handle.state = "lost"
            errors = []
            for handle in handles:
                try:
                    if handle.on_lost:
                        handle.on_lost()
                except Exception as error:
                    errors.append(error)
            if errors:
                raise errors[0]
