"""Nobody claims anything: the first in the line has its turn from the moment it became the first. Waiters watch."""
from dataclasses import dataclass
from secrets import token_urlsafe

from leasehold import TransportError


class NotHeld(Exception):
    pass


@dataclass
class Turn:
    ticket: int
    until: float


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.key = name
        self.turn_s = turn_s
        self.inside = []
        self.me = None

    async def acquire(self, wait_s):
        start = self.clock()
        if self.inside and start < self.inside[0].until:
            self.inside.append(self.inside[0])
            return self.inside[0]
        self.inside = []
        me = token_urlsafe(9)
        while True:
            try:
                turn = await self.look(me)
                if turn is not None:
                    self.me = me
                    self.inside = [turn]
                    return turn
                left = start + wait_s - self.clock()
                if left <= 0:
                    break
                await self.await_change(min(left, 0.5))
            except TransportError:
                if self.clock() >= start + wait_s:
                    break
        try:
            await self.drop(me)
        except TransportError:
            # The ticket stays where it is, and will be passed over.
            pass
        return None

    async def look(self, me):
        """Takes a ticket if there is none, ends a turn that is over, and gives this owner's turn if it has come."""
        while True:
            first, since, line, version = await self.read()
            now = self.clock()
            if line and now >= since + self.turn_s:
                line.pop(0)
                first, since = first + 1, now
            elif me in line:
                return Turn(first, since + self.turn_s) if line[0] == me else None
            if me not in line:
                since = since if line else now
                line.append(me)
            if await self.write(first, since, line, version) and line[0] != me:
                return None

    async def await_change(self, timeout):
        seen = self.version
        watch = await self.cache.watch(self.key)
        if watch.version == seen:
            await watch.fired(timeout)
        await watch.close()

    async def drop(self, me):
        """Takes this owner out of the line. Whether that made a difference."""
        while True:
            first, since, line, version = await self.read()
            if me not in line:
                return False
            if line[0] == me:
                line.pop(0)
                first, since = first + 1, self.clock()
            else:
                # Numbers follow from places, so a place in the middle can't be taken away: it stays empty.
                line[line.index(me)] = None
            if await self.write(first, since, line, version):
                return True

    async def read(self):
        [entry] = await self.cache.read(self.key)
        self.version = entry.version
        if entry.value is None:
            return 1, 0.0, [], entry.version
        first, since, line = entry.value
        while line and line[0] is None:
            line.pop(0)
            first += 1
        return first, since, line, entry.version

    async def write(self, first, since, line, version):
        return await self.cache.commit({self.key: version}, {self.key: [first, since, line]})

    async def release(self):
        if not self.inside:
            raise NotHeld
        turn = self.inside.pop()
        if self.clock() >= turn.until:
            raise NotHeld
        while not self.inside and self.clock() < turn.until:
            try:
                await self.drop(self.me)
                return
            except TransportError:
                pass
