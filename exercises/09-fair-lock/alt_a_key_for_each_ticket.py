"""Three kinds of keys, changed in one commit each, and waiters that measure a turn by what they have seen of it."""
import random

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    __slots__ = ("ticket", "until", "name")

    def __init__(self, ticket, until, name):
        self.ticket = ticket
        self.until = until
        self.name = name


class Lost(Exception):
    """Somebody else changed a key first."""


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.turn_s = cache, clock, turn_s
        # Last ticket given out; [ticket that is served, how often that changed hands].
        self.last, self.now = f"{name}/last", f"{name}/now"
        self.ticket_key = lambda ticket: f"{name}/ticket/{ticket}"
        self.held = None
        self.depth = 0

    async def acquire(self, wait_s):
        begun = self.clock()
        if self.held and begun < self.held.until:
            self.depth += 1
            return self.held
        self.held = None
        who = f"{random.getrandbits(64):016x}"
        ticket, seen, seen_at = None, None, begun
        while True:
            try:
                if ticket is None:
                    ticket = await self.take_ticket(who)
                asked = self.clock()
                now, last = await self.cache.read(self.now, self.last)
                serving = (now.value or [1])[0]
                if serving > ticket:
                    ticket = None
                    continue
                if now.version != seen:
                    # Not `asked`: the process may have slept before it did, and this turn may be younger than that.
                    seen, seen_at = now.version, self.clock()
                if serving == ticket:
                    if await self.write({self.now: now.version}, {self.now: [ticket, who]}):
                        turn = Turn(ticket, asked + self.turn_s, who)
                        if self.clock() < turn.until:
                            self.held, self.depth = turn, 1
                            return turn
                elif self.clock() - seen_at >= self.turn_s:
                    await self.write({self.now: now.version}, {self.now: [serving + 1, None],
                                                              self.ticket_key(serving): None})
            except Lost:
                continue
            except TransportError:
                # Whether the ticket was taken is looked up before another one is.
                pass
            left = begun + wait_s - self.clock()
            if left <= 0:
                await self.give_up(ticket, who)
                return None
            await self.clock.sleep(min(left, random.uniform(0.2, 0.4)))

    async def write(self, checks, writes):
        if not await self.cache.commit(checks, writes):
            raise Lost
        return True

    async def take_ticket(self, who):
        last, now = await self.cache.read(self.last, self.now)
        newest = last.value or 0
        serving = (now.value or [1])[0]
        # Is one of those that are out there this owner's?
        out = range(serving, newest + 1)
        if out:
            for ticket, entry in zip(out, await self.cache.read(*map(self.ticket_key, out))):
                if entry.value == who:
                    return ticket
        await self.write({self.last: last.version}, {self.last: newest + 1, self.ticket_key(newest + 1): who})
        return newest + 1

    async def give_up(self, ticket, who):
        """One attempt, and only if it is this owner's turn: any other ticket is passed over when its turn comes."""
        if ticket is not None:
            try:
                [now] = await self.cache.read(self.now)
                if (now.value or [1])[0] == ticket:
                    await self.cache.commit({self.now: now.version}, {self.now: [ticket + 1, None]})
            except TransportError:
                pass

    async def release(self):
        turn = self.held
        if turn is None or self.clock() >= turn.until:
            self.held = None
            raise NotHeld
        self.depth -= 1
        if self.depth:
            return
        self.held = None
        while self.clock() < turn.until:
            try:
                [now] = await self.cache.read(self.now)
                if now.value != [turn.ticket, turn.name]:
                    return
                await self.write({self.now: now.version}, {self.now: [turn.ticket + 1, None],
                                                          self.ticket_key(turn.ticket): None})
                return
            except Lost:
                pass
            except TransportError:
                await self.clock.sleep(0.05)
        raise NotHeld
