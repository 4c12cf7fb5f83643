# The line is a heap of tickets, a place is an object that turns itself into a list, and counting inside is a context of its own.
import heapq
import uuid
from collections import Counter
from functools import total_ordering
from typing import NamedTuple

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn(NamedTuple):
    ticket: int
    until: float


@total_ordering
class Place:
    def __init__(self, ticket, who):
        self.ticket, self.who = ticket, who

    def __lt__(self, other):
        return self.ticket < other.ticket

    def __eq__(self, other):
        return self.ticket == other.ticket

    __hash__ = None

    def __iter__(self):
        return iter((self.ticket, self.who))


class Line:
    def __init__(self, value, version):
        self.version = version
        value = value or {"issued": 0, "since": 0.0, "heap": []}
        self.issued = value["issued"]
        self.since = value["since"]
        self.heap = [Place(*pair) for pair in value["heap"]]
        self.dirty = False

    def value(self):
        return {"issued": self.issued, "since": self.since, "heap": [[*place] for place in self.heap]}

    def issue(self, who, now):
        if not self.heap:
            self.since = now
        self.issued += 1
        heapq.heappush(self.heap, Place(self.issued, who))
        self.dirty = True

    def next(self, now):
        heapq.heappop(self.heap)
        self.since = now
        self.dirty = True

    def remove(self, who, now):
        if who not in self:
            return
        if self.heap[0].who == who:
            return self.next(now)
        self.heap = [place for place in self.heap if place.who != who]
        heapq.heapify(self.heap)
        self.dirty = True

    def __contains__(self, who):
        return any(place.who == who for place in self.heap)


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.name, self.turn_s = cache, clock, name, turn_s
        self.turn = None
        self.inside = Counter()
        self.who = None

    async def line(self):
        [entry] = await self.cache.read(self.name)
        return Line(entry.value, entry.version)

    async def save(self, line):
        """Whether the line stands as it is here."""
        return not line.dirty or await self.cache.commit({self.name: line.version}, {self.name: line.value()})

    def mine(self):
        return self.turn is not None and self.clock() < self.turn.until

    async def acquire(self, wait_s):
        if not self.mine():
            self.inside.clear()
            self.who = f"{uuid.uuid4()}"
            self.turn = await self.queue(self.clock() + wait_s)
        if self.turn is not None:
            self.inside[self.turn] += 1
        return self.turn

    async def queue(self, deadline):
        retry_until = deadline + 0.4
        while True:
            wait = False
            try:
                line = await self.line()
                now = self.clock()
                if line.heap and line.since + self.turn_s <= now:
                    line.next(now)
                if self.who not in line:
                    line.issue(self.who, now)
                if await self.save(line):
                    wait = True
                    if line.heap[0].who == self.who:
                        turn = Turn(line.heap[0].ticket, line.since + self.turn_s)
                        if self.clock() < turn.until:
                            return turn
                        wait = False
            except TransportError:
                wait = self.clock() >= deadline
            left = deadline - self.clock()
            if self.clock() >= (deadline if wait else retry_until):
                break
            if wait:
                await self.clock.sleep(min(0.35, left))
        await self.leave(deadline + 2)
        return None

    async def leave(self, until):
        while self.clock() < until:
            try:
                line = await self.line()
                line.remove(self.who, self.clock())
                if await self.save(line):
                    return
            except TransportError:
                pass

    async def release(self):
        if not self.mine():
            self.turn = None
            raise NotHeld
        self.inside[self.turn] -= 1
        if self.inside[self.turn] == 0:
            turn, self.turn = self.turn, None
            await self.leave(turn.until)
