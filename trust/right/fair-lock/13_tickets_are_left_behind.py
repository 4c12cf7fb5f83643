# Whoever gives up leaves its ticket to be passed over, and a late release ends the turn if nobody else has been served.
import secrets
from typing import NamedTuple

from leasehold import TransportError


class NotHeld(RuntimeError):
    pass


class Turn(NamedTuple):
    ticket: int
    until: float


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.name, self.turn_s = cache, clock, name, turn_s
        self.turn = None
        self.uses = 0
        self.who = None

    async def acquire(self, wait_s):
        if self.turn is not None and self.clock() < self.turn.until:
            self.uses += 1
            return self.turn
        self.turn, self.uses, self.who = None, 0, secrets.token_bytes(9).hex()
        deadline = self.clock() + wait_s
        while True:
            faster = False
            try:
                turn, faster = await self.look()
                if turn is not None and self.clock() < turn.until:
                    self.turn, self.uses = turn, 1
                    return turn
            except TransportError:
                pass
            left = deadline - self.clock()
            if faster and left > -0.3:
                continue
            if left <= 0:
                return None
            await self.clock.sleep(min(0.2, left))

    async def look(self):
        [entry] = await self.cache.read(self.name)
        next, since, line = entry.value or [1, 0.0, []]
        now = self.clock()
        after = [place for place in line]
        if after and now >= since + self.turn_s:
            after, since = after[1:], now
        if self.who not in [who for _, who in after]:
            since = since if after else now
            after = after + [[next, self.who]]
            next += 1
        if after != line:
            if not await self.cache.commit({self.name: entry.version}, {self.name: [next, since, after]}):
                return None, True
        if after[0][1] == self.who:
            return Turn(after[0][0], since + self.turn_s), False
        return None, False

    async def release(self):
        if self.turn is None:
            raise NotHeld("nothing to release")
        turn = self.turn
        if self.uses > 1 and self.clock() < turn.until:
            self.uses -= 1
            return
        late = self.clock() >= turn.until
        self.turn = None
        while True:
            try:
                [entry] = await self.cache.read(self.name)
                next, since, line = entry.value
                if not line or line[0] != [turn.ticket, self.who]:
                    if late:
                        raise NotHeld("somebody else is served")
                    return
                record = [next, self.clock(), line[1:]]
                if await self.cache.commit({self.name: entry.version}, {self.name: record}):
                    return
            except TransportError:
                pass
            if self.clock() >= turn.until:
                if late:
                    raise NotHeld("the turn is over")
                return
