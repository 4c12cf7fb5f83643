# The queue is a frozen dataclass with pure transitions; one function repeats read, transition and commit until it is done.
import uuid
from dataclasses import dataclass, replace

from leasehold import TransportError


class NotHeld(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Turn:
    ticket: int
    until: float


@dataclass(frozen=True)
class Queue:
    next: int = 1
    since: float = 0.0
    line: tuple = ()  # (ticket, who)

    @staticmethod
    def load(value):
        if value is None:
            return Queue()
        return Queue(value["next"], value["since"], tuple(map(tuple, value["line"])))

    def dump(self):
        return {"next": self.next, "since": self.since, "line": [list(place) for place in self.line]}

    def has(self, who):
        return any(w == who for _, w in self.line)

    def tidy(self, now, turn_s):
        if self.line and now >= self.since + turn_s:
            return replace(self, line=self.line[1:], since=now)
        return self

    def join(self, who, now):
        if self.has(who):
            return self
        since = self.since if self.line else now
        return replace(self, next=self.next + 1, since=since, line=self.line + ((self.next, who),))

    def leave(self, who, now):
        if not self.has(who):
            return self
        since = now if self.line[0][1] == who else self.since
        return replace(self, line=tuple(place for place in self.line if place[1] != who), since=since)

    def turn(self, who, turn_s):
        if self.line and self.line[0][1] == who:
            return Turn(self.line[0][0], self.since + turn_s)
        return None


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.name, self.turn_s = cache, clock, name, turn_s
        self.current = None
        self.count = 0
        self.who = None

    async def apply(self, transition, until):
        """The Queue after the transition. None if that did not succeed by `until` (one attempt at least)."""
        while True:
            try:
                [entry] = await self.cache.read(self.name)
                old = Queue.load(entry.value)
                new = transition(old, self.clock())
                if new == old or await self.cache.commit({self.name: entry.version}, {self.name: new.dump()}):
                    return new
            except TransportError:
                pass
            if self.clock() >= until:
                return None

    def running(self):
        return self.current is not None and self.clock() < self.current.until

    async def acquire(self, wait_s):
        if self.running():
            self.count += 1
            return replace(self.current)
        self.current = None
        self.who = str(uuid.uuid4())
        deadline = self.clock() + wait_s
        while True:
            queue = await self.apply(
                lambda q, now: q.tidy(now, self.turn_s).join(self.who, now), max(deadline, self.clock() + 0.3)
            )
            self.current = queue and queue.turn(self.who, self.turn_s)
            if self.running():
                self.count = 1
                return self.current
            left = deadline - self.clock()
            if left <= 0:
                break
            if self.current is None:
                await self.clock.sleep(min(0.25, left))
        self.current = None
        await self.apply(lambda q, now: q.leave(self.who, now), deadline + 1.5)
        return None

    async def release(self):
        if not self.running():
            self.current = None
            raise NotHeld
        self.count -= 1
        if self.count == 0:
            turn, self.current = self.current, None
            await self.apply(lambda q, now: q.leave(self.who, now) if now < turn.until else q, turn.until)
