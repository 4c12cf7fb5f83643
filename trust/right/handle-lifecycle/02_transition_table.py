# A StrEnum and a table of the allowed transitions; whoever asks for another one gets False and changes nothing.
from enum import StrEnum


class NotAcquired(Exception):
    pass


class State(StrEnum):
    ACQUIRING = "acquiring"
    HELD = "held"
    LOST = "lost"
    RELEASED = "released"


ALLOWED = {
    (State.ACQUIRING, State.HELD),
    (State.ACQUIRING, State.RELEASED),
    (State.HELD, State.LOST),
    (State.HELD, State.RELEASED),
}


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl = service, clock, name, ttl
        self._on_lost = on_lost or (lambda: None)
        self._state = State.ACQUIRING
        self._asked = False
        self._grant = None
        self._deadline = float("-inf")

    @property
    def state(self):
        return self._state

    @property
    def fencing_token(self):
        return self._grant and self._grant.fencing_token

    def _go(self, to):
        if (self._state, to) not in ALLOWED:
            return False
        self._state = to
        if to is State.LOST:
            self._on_lost()
        return True

    def _late(self):
        return self._clock() >= self._deadline

    def _check(self):
        """True while held and in time; finds the loss otherwise."""
        if self._state is State.HELD and self._late():
            self._go(State.LOST)
        return self._state is State.HELD

    async def acquire(self):
        if self._asked or self._state is not State.ACQUIRING:
            raise RuntimeError(f"acquire() on a handle that is {self._state}")
        self._asked = True
        deadline = self._clock() + self._ttl
        grant = None
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        finally:
            if grant is None:
                self._go(State.RELEASED)
        if grant is None:
            return False
        if self._clock() < deadline and self._go(State.HELD):
            self._grant, self._deadline = grant, deadline
            return True
        self._go(State.RELEASED)
        try:
            await self._service.release(self._name, grant.ownership_token)
        except Exception:
            pass
        return False

    async def renew(self):
        if not self._check():
            return False
        deadline = self._clock() + self._ttl
        try:
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except Exception:
            if self._check():
                raise
            return False
        if self._check() and answer:
            self._deadline = max(deadline, self._deadline)
            return True
        self._go(State.LOST)
        return False

    async def release(self):
        if self._state is State.HELD and not self._check():
            return False
        was_held = self._state is State.HELD
        if self._go(State.RELEASED) and was_held:
            return await self._service.release(self._name, self._grant.ownership_token)
        return False

    def is_held(self):
        return self._state is State.HELD and not self._late()

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired

    async def __aexit__(self, *error):
        try:
            await self.release()
        except Exception:
            pass
