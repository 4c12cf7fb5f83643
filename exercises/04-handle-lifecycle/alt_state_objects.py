# Each state is an object that knows what can be asked of it; the handle only passes calls on. A state that is no longer the
# handle's has nothing to say.
from leasehold import TransportError


class NotAcquired(LookupError):
    pass


class Over:
    def __init__(self, name):
        self.name = name

    def is_held(self):
        return False

    async def acquire(self, handle):
        raise RuntimeError("this handle has been used")

    async def renew(self, handle):
        return False

    async def release(self, handle):
        return False


LOST, RELEASED = Over("lost"), Over("released")


class Asking(Over):
    async def release(self, handle):
        handle.now = RELEASED
        return False


class New(Asking):
    async def acquire(self, handle):
        asking = handle.now = Asking("acquiring")
        deadline = handle.clock() + handle.ttl
        try:
            grant = await handle.service.acquire(handle.key, handle.ttl)
        except BaseException:
            handle.now = RELEASED
            raise
        if grant is not None and handle.now is asking and handle.clock() < deadline:
            handle.fencing_token = grant.fencing_token
            handle.now = Held(handle, grant, deadline)
            return True
        given_up = handle.now is not asking
        handle.now = RELEASED
        if grant is not None and given_up:
            try:
                await handle.service.release(handle.key, grant.ownership_token)
            except TransportError:
                pass
        return False


class Held(Over):
    def __init__(self, handle, grant, deadline):
        super().__init__("held")
        self.handle, self.grant, self.deadline = handle, grant, deadline

    def is_held(self):
        return self.handle.clock() < self.deadline

    def goes_on(self):
        if self.handle.now is self and not self.is_held():
            self.lose()
        return self.handle.now is self

    def lose(self):
        self.handle.now = LOST
        if self.handle.on_lost:
            self.handle.on_lost()

    async def renew(self, handle):
        if not self.goes_on():
            return False
        deadline = handle.clock() + handle.ttl
        try:
            renewed = await handle.service.renew(handle.key, self.grant.ownership_token, handle.ttl)
        except TransportError:
            self.goes_on()
            raise
        if not self.goes_on():
            return False
        if renewed:
            self.deadline = max(self.deadline, deadline)
        else:
            self.lose()
        return renewed

    async def release(self, handle):
        if not self.goes_on():
            return False
        handle.now = RELEASED
        return await handle.service.release(handle.key, self.grant.ownership_token)


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self.service, self.clock, self.key, self.ttl, self.on_lost = service, clock, name, ttl, on_lost
        self.now = New("acquiring")
        self.fencing_token = None

    @property
    def state(self):
        return self.now.name

    def is_held(self):
        return self.now.is_held()

    async def acquire(self):
        return await self.now.acquire(self)

    async def renew(self):
        return await self.now.renew(self)

    async def release(self):
        return await self.now.release(self)

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired(self.key)

    async def __aexit__(self, kind, error, trace):
        try:
            await self.release()
        except TransportError:
            pass
