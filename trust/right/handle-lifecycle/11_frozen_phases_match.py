# The phase is a frozen dataclass that is replaced as a whole; match decides, and looks at it again after each await.
from dataclasses import dataclass
from typing import Optional, Union

from leasehold import Cancelled


class NotAcquired(Exception):
    pass


@dataclass(frozen=True)
class Acquiring:
    sent: Optional[float] = None


@dataclass(frozen=True)
class Held:
    token: str
    deadline: float


@dataclass(frozen=True)
class Over:
    how: str


Phase = Union[Acquiring, Held, Over]
LOST, RELEASED = Over("lost"), Over("released")


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl = service, clock, name, ttl
        self._on_lost = on_lost
        self._phase: Phase = Acquiring()
        self.fencing_token = None

    @property
    def state(self):
        match self._phase:
            case Acquiring():
                return "acquiring"
            case Held():
                return "held"
            case Over(how):
                return how

    def is_held(self):
        match self._phase:
            case Held(deadline=deadline):
                return self._clock() < deadline
        return False

    async def acquire(self):
        match self._phase:
            case Acquiring(sent=None):
                self._phase = Acquiring(self._clock())
            case _:
                raise RuntimeError(f"acquire() while {self.state}")
        deadline = self._phase.sent + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._phase = RELEASED
            raise
        match self._phase, grant:
            case _, None:
                self._phase = RELEASED
            case Acquiring(), _ if self._clock() < deadline:
                self._phase = Held(grant.ownership_token, deadline)
                self.fencing_token = grant.fencing_token
            case _:
                self._phase = RELEASED
                try:
                    await self._service.release(self._name, grant.ownership_token)
                except (Exception, Cancelled):
                    pass
        return isinstance(self._phase, Held)

    def _lose(self):
        self._phase = LOST
        if self._on_lost is not None:
            self._on_lost()

    def _checked(self):
        """The phase, after a look at the clock."""
        match self._phase:
            case Held(deadline=deadline) if self._clock() >= deadline:
                self._lose()
        return self._phase

    async def renew(self):
        match self._checked():
            case Held(token=token):
                sent = self._clock()
            case _:
                return False
        try:
            answer = await self._service.renew(self._name, token, self._ttl)
        except Exception:
            self._checked()
            raise
        match self._checked(), answer:
            case Held(deadline=old), True:
                self._phase = Held(token, max(old, sent + self._ttl))
                return True
            case Held(), _:
                self._lose()
        return False

    async def release(self):
        match self._checked():
            case Held(token=token):
                self._phase = RELEASED
                return await self._service.release(self._name, token)
            case Acquiring():
                self._phase = RELEASED
        return False

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except (Exception, Cancelled):
            pass
