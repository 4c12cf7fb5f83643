# States by name, a table of what may follow on what, and handles that are numbers in it. Generous to the network, strict with itself: it gives up in the last second.
import enum
import math
import random
from dataclasses import dataclass, field

from leasehold import Task, TransportError, current_task, spawn

BASE_S, CAP_S, WATCH_S = 0.5, 4.0, 5.0


class State(enum.Enum):
    HELD = "held"
    LOST = "lost"
    RELEASED = "released"


@dataclass(eq=False)
class Hold:
    on_lost: object
    state: State = State.HELD


@dataclass(eq=False)
class Grip:
    """A grant and how firmly we have it."""

    name: str
    ownership_token: str
    fencing_token: int
    ttl: float
    owner: Task
    sure_until: float
    holds: list = field(default_factory=list)
    failures: int = 0

    @property
    def held(self):
        return [hold for hold in self.holds if hold.state is State.HELD]


class LockHandle:
    def __init__(self, client, grip, hold):
        self._client, self._grip, self._hold = client, grip, hold

    @property
    def name(self):
        return self._grip.name

    @property
    def fencing_token(self):
        return self._grip.fencing_token

    def is_held(self):
        return self._hold.state is State.HELD and self._client.now() < self._grip.sure_until

    async def release(self):
        if self._hold.state is not State.HELD:
            return
        if current_task() != self._grip.owner:
            raise NotYours(self.name)
        self._hold.state = State.RELEASED
        if not self._grip.held:
            await self._client.let_go(self._grip)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class NotYours(RuntimeError):
    pass


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.now = clock.monotonic
        self.sleep = clock.sleep
        self.grips = {}  # (name, owner): the latest

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if not isinstance(wait_s, (int, float)) or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError("wait_s: seconds from 0 on, please")
        began, owner = self.now(), current_task()
        grip = self.grips.get((name, owner)) if reentrant else None
        if grip is None or not grip.held or began >= grip.sure_until:
            grip = await self.wait_for(name, ttl_s, began + wait_s, owner)
        if grip is None:
            return None
        hold = Hold(on_lost)
        grip.holds.append(hold)
        return LockHandle(self, grip, hold)

    async def wait_for(self, name, ttl_s, end, owner):
        ceilings = iter([BASE_S * 2**n for n in range(3)])
        last = False
        while True:
            last = self.now() >= end
            sent = self.now()
            grant = await self.ask(self.service.acquire(name, ttl_s))
            if grant:
                if self.now() < sent + grant.ttl:
                    grip = Grip(name, grant.ownership_token, grant.fencing_token, grant.ttl, owner, sent + grant.ttl)
                    self.grips[name, owner] = grip
                    spawn(self.keep(grip))
                    spawn(self.guard(grip))
                    return grip
                await self.let_go(grant)
            if last:
                return None
            pause = random.uniform(0, next(ceilings, CAP_S))
            await self.sleep(max(0, min(pause, end - self.now())))

    async def ask(self, call):
        """The answer, or None if there is none."""
        try:
            return await call
        except TransportError:
            return None

    async def let_go(self, grip):
        if await self.ask(self.service.release(grip.name, grip.ownership_token)) is None:
            await self.ask(self.service.release(grip.name, grip.ownership_token))

    async def keep(self, grip):
        pause = grip.ttl / 3
        while True:
            await self.sleep(random.uniform(pause * 0.9, pause * 1.1))
            if not grip.held:
                return
            sent = self.now()
            if sent >= grip.sure_until or (grip.failures and sent >= grip.sure_until - 1):
                return self.lose(grip)
            answer = await self.ask(self.service.renew(grip.name, grip.ownership_token, grip.ttl))
            if answer is None:
                grip.failures += 1
                pause = grip.ttl / 8
            elif not answer:
                return self.lose(grip)
            else:
                grip.failures = 0
                grip.sure_until = max(grip.sure_until, sent + grip.ttl)
                pause = grip.ttl / 3

    async def guard(self, grip):
        while grip.held and self.now() < grip.sure_until:
            await self.sleep(grip.sure_until - self.now())
        self.lose(grip)

    def lose(self, grip):
        lost = grip.held
        for hold in lost:
            hold.state = State.LOST
        for hold in lost:
            # Each in a task of its own: one that raises is nobody else's trouble.
            if hold.on_lost:
                spawn(self.tell(hold.on_lost))

    async def tell(self, on_lost):
        on_lost()

    def on_release(self, name, callback):
        return Listener(self, name, callback).stop


class Listener:
    def __init__(self, client, name, callback):
        self.client, self.name, self.callback = client, name, callback
        self.wanted, self.watch = True, None
        spawn(self.listen())

    async def listen(self):
        while self.wanted:
            self.watch = await self.client.ask(self.client.service.watch(self.name))
            if self.watch is None:
                await self.client.sleep(random.uniform(0.5, 1.5))
                continue
            if not self.wanted:
                return await self.close(self.watch)
            if await self.watch.fired(WATCH_S):
                if self.wanted:
                    self.wanted = False
                    self.callback()
                return
            if self.wanted:
                await self.close(self.watch)

    def stop(self):
        if self.wanted and self.watch is not None:
            spawn(self.close(self.watch))
        self.wanted = False

    async def close(self, watch):
        await self.client.ask(watch.close())
