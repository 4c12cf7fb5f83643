# renew() asks in a task of its own and waits for it until the deadline at most: then the handle is lost, answer or not.
from leasehold import Signal, spawn


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._acquired = False
        self._token = None
        self._deadline = None
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        if self._acquired or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._acquired = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
            return False
        if self.state == "released" or self._clock() >= deadline:
            self.state = "released"
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                pass
            return False
        self._token, self._deadline = grant.ownership_token, deadline
        self.fencing_token = grant.fencing_token
        self.state = "held"
        return True

    def _left(self):
        return self._deadline - self._clock()

    def _lose(self):
        self.state = "lost"
        if self._on_lost is not None:
            self._on_lost()
        return False

    async def renew(self):
        if self.state != "held":
            return False
        if self._left() <= 0:
            return self._lose()
        answered, errors = Signal(), []
        spawn(self._ask(answered, errors))
        while self.state == "held" and self._left() > 0:
            if await answered.wait(self._left()):
                break
        if self.state != "held":
            return False
        if self._left() <= 0:
            return self._lose()
        if errors:
            raise errors[0]
        return True

    async def _ask(self, answered, errors):
        """Ask, and heed the answer at once: renew() may come to look at it later."""
        try:
            if self.is_held():      # this task begins a little later than it is made
                deadline = self._clock() + self._ttl
                renewed = await self._service.renew(self._name, self._token, self._ttl)
                if self.is_held():
                    if renewed:
                        self._deadline = max(self._deadline, deadline)
                    else:
                        self._lose()
        except Exception as error:
            errors.append(error)
        finally:
            answered.set()

    async def release(self):
        if self.state == "acquiring":
            self.state = "released"
        if self.state != "held":
            return False
        if self._left() <= 0:
            return self._lose()
        self.state = "released"
        return await self._service.release(self._name, self._token)

    def is_held(self):
        return self.state == "held" and self._left() > 0

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
