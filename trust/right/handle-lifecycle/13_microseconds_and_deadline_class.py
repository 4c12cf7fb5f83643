# A Deadline class in integer microseconds that can only move forward; a context manager looks at the clock after each ask.
from contextlib import contextmanager


class NotAcquired(Exception):
    pass


class Deadline:
    def __init__(self, clock, ttl):
        self._clock = clock
        self._ttl = round(ttl * 1_000_000)
        self._at = None

    def now(self):
        return round(self._clock() * 1_000_000)

    def passed(self, since=None):
        at = self._at if since is None else since + self._ttl
        return self.now() >= at

    def count_from(self, since):
        at = since + self._ttl
        if self._at is None or at > self._at:
            self._at = at


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._deadline = Deadline(clock, ttl)
        self._grant = None
        self._acquire_called = False
        self.state = "acquiring"

    @property
    def fencing_token(self):
        return self._grant.fencing_token if self._grant else None

    def _lose(self):
        self.state = "lost"
        callback, self._on_lost = self._on_lost, None
        if callback:
            callback()

    def _lose_if_late(self):
        if self.state == "held" and self._deadline.passed():
            self._lose()

    @contextmanager
    def _looking_after(self):
        self._lose_if_late()
        try:
            yield self.state == "held"
        finally:
            self._lose_if_late()

    async def acquire(self):
        if self._acquire_called or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self._acquire_called = True
        sent = self._deadline.now()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self.state = "released"
            raise
        if grant is None:
            self.state = "released"
        elif self.state == "released":
            await self._hand_back(grant)
        elif self._deadline.passed(since=sent):
            self.state = "released"
            await self._hand_back(grant)
        else:
            self._deadline.count_from(sent)
            self._grant = grant
            self.state = "held"
        return self._grant is not None

    async def _hand_back(self, grant):
        try:
            await self._service.release(self._name, grant.ownership_token)
        except Exception:
            pass

    async def renew(self):
        answer = None
        with self._looking_after() as held:
            if not held:
                return False
            sent = self._deadline.now()
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        if self.state != "held":
            return False
        if answer:
            self._deadline.count_from(sent)
            return True
        self._lose()
        return False

    async def release(self):
        self._lose_if_late()
        if self.state not in ("held", "acquiring"):
            return False
        before, self.state = self.state, "released"
        if before == "acquiring":
            return False
        return await self._service.release(self._name, self._grant.ownership_token)

    def is_held(self):
        return self.state == "held" and not self._deadline.passed()

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
