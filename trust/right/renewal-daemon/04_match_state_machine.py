# An explicit state machine: events go through one match statement, and two small tasks produce them.
import enum
import random
from dataclasses import dataclass

from leasehold import TransportError, spawn


class State(enum.Enum):
    HELD = enum.auto()
    LOST = enum.auto()
    RELEASED = enum.auto()


@dataclass
class Renewed:
    sent: float


@dataclass
class Rejected:
    pass


@dataclass
class NoAnswer:
    pass


@dataclass
class TimeIsUp:
    pass


@dataclass
class StopCalled:
    pass


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._on_lost = on_lost
        self._deadline = asked_at + grant.ttl
        self._state = State.HELD

    def _handle(self, event):
        # What happens after the deadline happens after the loss, but for a stop: then nobody wants to be told.
        if self._state is State.HELD and self._clock() >= self._deadline and not isinstance(event, StopCalled):
            event = TimeIsUp()
        match self._state, event:
            case (State.LOST | State.RELEASED), _:
                pass
            case State.HELD, StopCalled():
                self._state = State.RELEASED
            case State.HELD, Renewed(sent):
                self._deadline = sent + self._grant.ttl
            case State.HELD, NoAnswer():
                pass
            case State.HELD, Rejected() | TimeIsUp():
                self._state = State.LOST
                self._on_lost()
            case other:
                raise AssertionError(other)

    async def run(self):
        spawn(self._timer())
        while self._state is State.HELD:
            await self._clock.sleep(random.uniform(0.3, 0.36666) * self._grant.ttl)
            if not self.is_held():
                break
            self._handle(await self._attempt())
        if self._state is State.HELD:
            self._handle(TimeIsUp())

    async def _attempt(self):
        sent = self._clock()
        try:
            if await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl):
                return Renewed(sent)
            return Rejected()
        except TransportError:
            return NoAnswer()

    async def _timer(self):
        while self._state is State.HELD:
            left = self._deadline - self._clock()
            if left > 0:
                await self._clock.sleep(left)
            else:
                self._handle(TimeIsUp())

    def stop(self):
        self._handle(StopCalled())

    def is_held(self):
        return self._state is State.HELD and self._clock() < self._deadline
