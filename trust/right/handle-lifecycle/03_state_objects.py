# Each state is an object with the same methods; the handle forwards to the one that is current.
class NotAcquired(Exception):
    pass


class State:
    name = None

    def __init__(self, handle):
        self.handle = handle

    def current(self):
        return self.handle.now is self

    async def acquire(self):
        raise RuntimeError("this handle was used already")

    async def renew(self):
        return False

    async def release(self):
        return False

    def is_held(self):
        return False


class New(State):
    name = "acquiring"

    async def acquire(self):
        asking = self.handle.now = Asking(self.handle)
        return await asking.ask()

    async def release(self):
        self.handle.now = Released(self.handle)
        return False


class Asking(New):
    acquire = State.acquire

    async def ask(self):
        h = self.handle
        deadline = h.clock() + h.ttl
        try:
            grant = await h.service.acquire(h.name, h.ttl)
        except BaseException:
            h.now = Released(h)
            raise
        if grant is not None and self.current() and h.clock() < deadline:
            h.fencing_token = grant.fencing_token
            h.now = Held(h, grant.ownership_token, deadline)
            return True
        h.now = Released(h)
        if grant is not None:
            try:
                await h.service.release(h.name, grant.ownership_token)
            except Exception:
                pass
        return False


class Held(State):
    name = "held"

    def __init__(self, handle, token, deadline):
        super().__init__(handle)
        self.token = token
        self.deadline = deadline

    def is_held(self):
        return self.handle.clock() < self.deadline

    def lose(self):
        self.handle.now = Lost(self.handle)
        if self.handle.on_lost:
            self.handle.on_lost()
        return False

    async def renew(self):
        h = self.handle
        if not self.is_held():
            return self.lose()
        deadline = h.clock() + h.ttl
        answer, error = False, None
        try:
            answer = await h.service.renew(h.name, self.token, h.ttl)
        except BaseException as e:
            error = e
        if self.current() and (not self.is_held() or not (answer or error)):
            self.lose()
        if error:
            raise error
        if not self.current():
            return False
        self.deadline = max(self.deadline, deadline)
        return True

    async def release(self):
        h = self.handle
        if not self.is_held():
            return self.lose()
        h.now = Released(h)
        return await h.service.release(h.name, self.token)


class Lost(State):
    name = "lost"


class Released(State):
    name = "released"


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self.service, self.clock, self.name, self.ttl, self.on_lost = service, clock, name, ttl, on_lost
        self.fencing_token = None
        self.now = New(self)

    @property
    def state(self):
        return self.now.name

    async def acquire(self):
        return await self.now.acquire()

    async def renew(self):
        return await self.now.renew()

    async def release(self):
        return await self.now.release()

    def is_held(self):
        return self.now.is_held()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self.name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            return False
