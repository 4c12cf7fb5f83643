# A grant is an immutable state; one pure function takes a state and an event and returns the next state and a list of effects, which a thin shell carries out.
import enum
import math
import random
from dataclasses import dataclass, field, replace
from typing import Any

from leasehold import Cancelled, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Phase(enum.Enum):
    RUNS = 1
    RELEASED = 2
    LOST = 3


@dataclass(frozen=True)
class State:
    deadline: float
    phase: Phase = Phase.RUNS
    held: frozenset = frozenset()


# Events
@dataclass(frozen=True)
class Joined:
    handle: int


@dataclass(frozen=True)
class Left:
    handle: int


@dataclass(frozen=True)
class Renewed:
    sent: float
    ttl: float


@dataclass(frozen=True)
class Rejected:
    pass


@dataclass(frozen=True)
class Tick:
    pass


# Effects
@dataclass(frozen=True)
class TellHolders:
    handles: tuple


@dataclass(frozen=True)
class TellService:
    pass


def step(state, now, event):
    """The next state, and what is to be done."""
    if state.phase is not Phase.RUNS:
        return state, ()
    lost = replace(state, phase=Phase.LOST, held=frozenset()), (TellHolders(tuple(sorted(state.held))),)
    if now >= state.deadline and not isinstance(event, Left):
        return lost
    match event:
        case Joined(handle):
            return replace(state, held=state.held | {handle}), ()
        case Left(handle) if handle in state.held and state.held == {handle}:
            return replace(state, phase=Phase.RELEASED, held=frozenset()), (TellService(),)
        case Left(handle):
            return replace(state, held=state.held - {handle}), ()
        case Renewed(sent, ttl):
            return replace(state, deadline=max(state.deadline, sent + ttl)), ()
        case Rejected():
            return lost
        case Tick():
            return state, ()


class Holding:
    """The shell around a State."""

    def __init__(self, client, grant, owner, sent):
        self.client, self.grant, self.owner = client, grant, owner
        self.state = State(sent + grant.ttl)
        self.callbacks = {}
        self.tasks = []

    def start(self):
        self.tasks = [spawn(self.renewals()), spawn(self.ticks())]

    def alive(self):
        return self.state.phase is Phase.RUNS and self.client.clock() < self.state.deadline

    def handle(self, on_lost):
        number = len(self.callbacks)
        self.callbacks[number] = on_lost
        self.feed(Joined(number))
        return LockHandle(self, number)

    def feed(self, event):
        """Returns the effect that is the caller's to carry out, if there is one."""
        self.state, effects = step(self.state, self.client.clock(), event)
        for effect in effects:
            for task in self.tasks:
                if task is not current_task():
                    task.cancel()
            match effect:
                case TellHolders(handles):
                    spawn(tell([self.callbacks[number] for number in handles]))
                case TellService():
                    return effect

    async def ticks(self):
        while self.state.phase is Phase.RUNS:
            await self.client.clock.sleep(max(1e-6, self.state.deadline - self.client.clock()))
            self.feed(Tick())

    async def renewals(self):
        grant, clock = self.grant, self.client.clock
        while True:
            await clock.sleep(grant.ttl * random.uniform(0.3, 0.3666))
            if not self.alive():
                return
            sent = clock()
            try:
                done = await self.client.service.renew(grant.name, grant.ownership_token, grant.ttl)
            except TransportError:
                continue
            self.feed(Renewed(sent, grant.ttl) if done else Rejected())


async def tell(callbacks):
    errors = []
    for callback in filter(None, callbacks):
        try:
            callback()
        except Exception as error:
            errors.append(error)
    return errors


class LockHandle:
    def __init__(self, holding, number):
        self.name = holding.grant.name
        self.fencing_token = holding.grant.fencing_token
        self._holding = holding
        self._number = number

    def is_held(self):
        return self._number in self._holding.state.held and self._holding.alive()

    async def release(self):
        holding = self._holding
        if self._number not in holding.state.held:
            return
        if current_task() is not holding.owner:
            raise RuntimeError("not yours")
        if holding.feed(Left(self._number)) is not None:
            await twice(lambda: holding.client.service.release(self.name, holding.grant.ownership_token))

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


async def twice(call):
    for _ in range(2):
        try:
            return await call()
        except TransportError:
            pass


@dataclass
class LockClient:
    service: Any
    clock: Any
    _holdings: dict = field(default_factory=dict)

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        match wait_s:
            case int() | float() if math.isfinite(wait_s) and wait_s >= 0:
                pass
            case _:
                raise ValueError(f"wait_s: {wait_s!r}")
        owner = current_task()
        key = (name, owner)
        if reentrant and key in self._holdings and self._holdings[key].alive():
            return self._holdings[key].handle(on_lost)
        holding = await self._wait(name, ttl_s, owner, self.clock() + wait_s)
        if holding is None:
            return None
        # Old ones of this name are over, or the service would not have granted.
        self._holdings = {k: h for k, h in self._holdings.items() if h.state.phase is Phase.RUNS}
        self._holdings[key] = holding
        holding.start()
        return holding.handle(on_lost)

    async def _wait(self, name, ttl_s, owner, end):
        ceilings = [min(CAP_S, BASE_S * 2 ** n) for n in range(10)]
        final = self.clock() >= end
        while True:
            sent = self.clock()
            try:
                grant = await self.service.acquire(name, ttl_s)
            except TransportError:
                grant = None
            answered = self.clock()
            if grant is not None:
                if answered < sent + grant.ttl:
                    return Holding(self, grant, owner, sent)
                await twice(lambda: self.service.release(name, grant.ownership_token))
            if final or answered >= end:
                return None
            pause = random.uniform(0, ceilings[0])
            if len(ceilings) > 1:
                ceilings.pop(0)
            left = max(0.0, end - self.clock())
            final = pause >= left
            await self.clock.sleep(min(pause, left))

    def on_release(self, name, callback):
        waiting = Waiting(self, name, callback)
        return waiting.cancel


class Waiting:
    """asking -> watching -> asking ... -> done. Only a watching task is cancelled from outside."""

    def __init__(self, client, name, callback):
        self.client, self.name, self.callback = client, name, callback
        self.phase = "asking"
        self.task = spawn(self.run())

    async def run(self):
        while self.phase != "done":
            try:
                watch = await self.client.service.watch(self.name)
            except TransportError:
                continue
            if self.phase == "done":
                await twice(watch.close)
                return
            self.phase = "watching"
            try:
                fired = await watch.fired(WATCH_S)
            except Cancelled:
                spawn(twice(watch.close))
                raise
            if fired:
                self.phase = "done"
                self.callback()
                return
            self.phase = "asking"
            await twice(watch.close)

    def cancel(self):
        before, self.phase = self.phase, "done"
        if before == "watching":
            self.task.cancel()
