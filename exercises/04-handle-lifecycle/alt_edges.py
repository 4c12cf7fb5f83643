# A table of arrows. Every change goes through _move, which takes only those that the table has.
from enum import Enum

from leasehold import TransportError


class State(str, Enum):
    ACQUIRING = "acquiring"
    HELD = "held"
    LOST = "lost"
    RELEASED = "released"


EDGES = {
    (State.ACQUIRING, State.HELD),
    (State.ACQUIRING, State.RELEASED),
    (State.HELD, State.HELD),
    (State.HELD, State.LOST),
    (State.HELD, State.RELEASED),
}


class NotAcquired(Exception):
    """The lock was refused."""


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._now = clock
        self._key = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._state = State.ACQUIRING
        self._calls = 0
        self._ownership = None
        self._deadline = 0.0
        self._fencing = None

    state = property(lambda self: self._state.value)
    fencing_token = property(lambda self: self._fencing)

    def _move(self, to):
        if (self._state, to) not in EDGES:
            return False
        was, self._state = self._state, to
        if to is State.LOST and was is State.HELD and self._on_lost:
            self._on_lost()
        return True

    def _expire(self):
        if self._state is State.HELD and self._now() >= self._deadline:
            self._move(State.LOST)

    def is_held(self):
        return self._state is State.HELD and self._now() < self._deadline

    async def acquire(self):
        self._calls += 1
        if self._calls > 1 or self._state is not State.ACQUIRING:
            raise RuntimeError(f"acquire() of a handle that is {self.state}")
        deadline = self._now() + self._ttl
        grant = None
        try:
            grant = await self._service.acquire(self._key, self._ttl)
        finally:
            if grant is None:
                self._move(State.RELEASED)
        if grant is None:
            return False
        if self._now() < deadline and self._move(State.HELD):
            self._deadline = deadline
            self._ownership = grant.ownership_token
            self._fencing = grant.fencing_token
            return True
        late = self._move(State.RELEASED)
        if not late:
            try:
                await self._service.release(self._key, grant.ownership_token)
            except TransportError:
                pass
        return False

    async def renew(self):
        self._expire()
        if self._state is not State.HELD:
            return False
        deadline = self._now() + self._ttl
        try:
            ok = await self._service.renew(self._key, self._ownership, self._ttl)
        except TransportError:
            self._expire()
            raise
        self._expire()
        if not ok:
            self._move(State.LOST)
        elif self._move(State.HELD):
            self._deadline = max(deadline, self._deadline)
            return True
        return False

    async def release(self):
        self._expire()
        asks = self._state is State.HELD
        self._move(State.RELEASED)
        if asks:
            return await self._service.release(self._key, self._ownership)
        return False

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, kind, error, trace):
        try:
            await self.release()
        except Exception:
            return False
