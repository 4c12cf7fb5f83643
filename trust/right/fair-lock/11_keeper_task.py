# A task stands in the line and tells the acquire() that waits by a Signal; acquire() itself only watches its time.
import secrets

from leasehold import Signal, TransportError, spawn


class NotHeld(Exception):
    pass


class Turn:
    __slots__ = ("ticket", "until")

    def __init__(self, ticket, until):
        self.ticket, self.until = ticket, until


class Stay:
    """One stay in the line, from the ticket to the end of the turn."""

    def __init__(self, lock):
        self.lock = lock
        self.label = secrets.token_hex(8)
        self.turn = None
        self.first_look = Signal()
        self.news = Signal()
        self.leaving = Signal()
        self.left = Signal()
        spawn(self.stand())

    async def stand(self):
        while not self.leaving.is_set():
            try:
                state = await self.lock.update(self.queue)
            except TransportError:
                self.first_look.set()
                continue
            if state is None:
                continue
            [ticket, label] = state["line"][0]
            if label == self.label:
                turn = Turn(ticket, state["since"] + self.lock.turn_s)
                if self.lock.clock() < turn.until:
                    self.turn = turn
                    break
                continue
            self.first_look.set()
            await self.leaving.wait(0.3)
        self.first_look.set()
        self.news.set()
        self.left.set()

    def queue(self, state, now):
        changed = self.lock.drop_late(state, now)
        if any(label == self.label for _, label in state["line"]):
            return changed
        if not state["line"]:
            state["since"] = now
        state["line"].append([state["next"], self.label])
        state["next"] += 1
        return True

    def unqueue(self, state, now):
        for i, (_, label) in enumerate(state["line"]):
            if label == self.label:
                del state["line"][i]
                if i == 0:
                    state["since"] = now
                return True
        return False

    async def leave(self, until):
        while self.lock.clock() < until:
            try:
                if await self.lock.update(self.unqueue) is not None:
                    return
            except TransportError:
                pass


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.name = name
        self.turn_s = turn_s
        self.stay = None
        self.depth = 0

    async def update(self, change):
        """The state as it is now, or None if somebody else wrote meanwhile."""
        [entry] = await self.cache.read(self.name)
        state = entry.value or {"next": 1, "since": 0.0, "line": []}
        if change(state, self.clock()):
            if not await self.cache.commit({self.name: entry.version}, {self.name: state}):
                return None
        return state

    def drop_late(self, state, now):
        late = bool(state["line"]) and now >= state["since"] + self.turn_s
        if late:
            state["line"].pop(0)
            state["since"] = now
        return late

    def inside(self):
        return self.stay is not None and self.clock() < self.stay.turn.until

    async def acquire(self, wait_s):
        if self.inside():
            self.depth += 1
            return self.stay.turn
        self.stay = None
        deadline = self.clock() + wait_s
        stay = Stay(self)
        while not stay.news.is_set() and self.clock() < deadline:
            await stay.news.wait(deadline - self.clock())
        await stay.first_look.wait()
        stay.leaving.set()
        await stay.left.wait()
        if stay.turn is not None and self.clock() < stay.turn.until:
            self.stay, self.depth = stay, 1
            return stay.turn
        left = deadline - self.clock()
        if stay.turn is not None and left > 0:
            return await self.acquire(left)
        await stay.leave(deadline + 2.5)
        return None

    async def release(self):
        if not self.inside():
            self.stay = None
            raise NotHeld(self.name)
        self.depth -= 1
        if self.depth == 0:
            stay, self.stay = self.stay, None
            await stay.leave(stay.turn.until)
