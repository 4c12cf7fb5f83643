# An enum for the states; the renewal is a task of its own, and run() waits for it or for the deadline, whichever is first.
import enum
import random
from dataclasses import dataclass
from typing import Callable

from leasehold import Signal, TransportError, spawn


class State(enum.Enum):
    HELD = "held"
    LOST = "lost"
    RELEASED = "released"


@dataclass
class Attempt:
    sent_at: float
    answered: Signal
    outcome: bool | None = None  # None: unknown


class Renewer:
    MARGIN = 0.9, 1.1

    def __init__(self, service, clock, grant, asked_at, on_lost: Callable[[], None]):
        self.service, self.clock, self.grant, self.on_lost = service, clock, grant, on_lost
        self.valid_until = asked_at + grant.ttl
        self.state = State.HELD
        self._wake = Signal()

    @property
    def remaining(self) -> float:
        return self.valid_until - self.clock()

    def is_held(self) -> bool:
        return self.state is State.HELD and self.remaining > 0

    def stop(self) -> None:
        if self.state is State.HELD:
            self.state = State.RELEASED
            self._wake.set()

    def _end(self) -> None:
        if self.state is not State.HELD:
            return
        self.state = State.LOST
        self.on_lost()

    async def _send(self, attempt: Attempt) -> None:
        if not self.is_held():
            # A stop() or a pause came between the spawn and this task's turn.
            return attempt.answered.set()
        try:
            attempt.outcome = bool(
                await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            )
        except TransportError:
            pass
        attempt.answered.set()

    async def run(self) -> None:
        pause = self.grant.ttl / 3
        while self.state is State.HELD:
            # A stop() wakes this sleep.
            await self._wake.wait(min(pause * random.uniform(*self.MARGIN), max(self.remaining, 0)))
            if self.state is not State.HELD:
                return
            if self.remaining <= 0:
                return self._end()
            attempt = Attempt(self.clock(), Signal())
            spawn(self._send(attempt))
            in_time = await attempt.answered.wait(max(self.remaining, 0))
            if self.state is not State.HELD:
                return
            if not in_time or attempt.outcome is False or self.remaining <= 0:
                return self._end()
            if attempt.outcome:
                self.valid_until = attempt.sent_at + self.grant.ttl
