# Numbers, names and time stand under three keys, which are read at one moment and checked and written in one transaction.
import secrets

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class State:
    def __init__(self, numbers, names, since):
        self.next, self.served = numbers
        self.names = names  # ticket (as a text) -> name; a ticket that was given up has none
        self.since = since


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.turn_s = turn_s
        self.keys = ["fair lock / numbers / " + name, "fair lock / names / " + name, "fair lock / since / " + name]
        self.turn = None
        self.depth = 0
        self.nonce = None

    async def read(self):
        entries = await self.cache.read(*self.keys)
        numbers, names, since = (entry.value for entry in entries)
        checks = {key: entry.version for key, entry in zip(self.keys, entries)}
        return State(numbers or [1, 1], names or {}, since or 0.0), checks

    async def write(self, state, checks):
        values = [[state.next, state.served], state.names, state.since]
        return await self.cache.commit(checks, dict(zip(self.keys, values)))

    def serve_next(self, state, now):
        state.names.pop(str(state.served), None)
        state.served += 1
        while state.served < state.next and str(state.served) not in state.names:
            state.served += 1
        state.since = now

    def ticket(self, state):
        return next((int(t) for t, name in state.names.items() if name == self.nonce), None)

    async def acquire(self, wait_s):
        begun = self.clock()
        if self.turn is not None and begun < self.turn.until:
            self.depth += 1
            return self.turn
        self.turn = None
        self.nonce = secrets.token_urlsafe(12)
        deadline = begun + wait_s
        asked = 0
        while self.clock() < deadline or asked == 0:
            try:
                asked += 1
                state, checks = await self.read()
                now = self.clock()
                dirty = False
                if state.served < state.next and now >= state.since + self.turn_s:
                    self.serve_next(state, now)
                    dirty = True
                if self.ticket(state) is None:
                    if state.served == state.next:
                        state.since = now
                    state.names[str(state.next)] = self.nonce
                    state.next += 1
                    dirty = True
                if dirty and not await self.write(state, checks):
                    if self.clock() < deadline + 0.4:
                        asked = 0
                    continue
                if state.names.get(str(state.served)) == self.nonce:
                    turn = Turn(state.served, state.since + self.turn_s)
                    if self.clock() < turn.until:
                        self.turn, self.depth = turn, 1
                        return turn
                    continue
                await self.clock.sleep(max(0, min(0.25, deadline - self.clock())))
            except TransportError:
                pass
        await self.retire(deadline + 2)
        return None

    async def retire(self, until):
        while self.clock() < until:
            try:
                state, checks = await self.read()
                ticket = self.ticket(state)
                if ticket is None:
                    return
                if ticket == state.served:
                    self.serve_next(state, self.clock())
                else:
                    del state.names[str(ticket)]
                if await self.write(state, checks):
                    return
            except TransportError:
                pass

    async def release(self):
        if self.turn is None or self.clock() >= self.turn.until:
            self.turn = None
            raise NotHeld
        self.depth -= 1
        if self.depth == 0:
            until, self.turn = self.turn.until, None
            await self.retire(until)
