# Every outcome that is not the next line is an exception: a conflict, a place in the line, a turn, the end of the wait.
import secrets

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class Conflict(Exception):
    pass


class MustWait(Exception):
    pass


class Missing(LookupError):
    pass


class Ledger:
    """The record under its version: what was read, and what is to be written."""

    def __init__(self, cache, key):
        self.cache = cache
        self.key = key

    async def __aenter__(self):
        [entry] = await self.cache.read(self.key)
        self.version = entry.version
        self.value = entry.value if entry.value is not None else {"ticket": 0, "queue": [], "since": 0.0}
        self.dirty = False
        return self

    async def __aexit__(self, kind, *_):
        if kind is None and self.dirty:
            if not await self.cache.commit({self.key: self.version}, {self.key: self.value}):
                raise Conflict

    @property
    def queue(self):
        return self.value["queue"]

    def position(self, label):
        for position, (_, its_label) in enumerate(self.queue):
            if its_label == label:
                return position
        raise Missing(label)

    def add(self, label, now):
        if not self.queue:
            self.value["since"] = now
        self.value["ticket"] += 1
        self.queue.append([self.value["ticket"], label])
        self.dirty = True

    def remove(self, position, now):
        del self.queue[position]
        if position == 0:
            self.value["since"] = now
        self.dirty = True


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.ledger = lambda: Ledger(cache, name)
        self.clock = clock
        self.turn_s = turn_s
        self.turn = None
        self.levels = 0

    def running(self):
        if self.turn is None or self.clock() >= self.turn.until:
            self.turn = None
            raise NotHeld("no turn of this owner runs")
        return self.turn

    async def acquire(self, wait_s):
        try:
            turn = self.running()
            self.levels += 1
            return turn
        except NotHeld:
            pass
        self.label = secrets.token_hex(10)
        deadline = self.clock() + wait_s
        while True:
            try:
                self.turn = await self.try_turn()
                turn = self.running()
                self.levels = 1
                return turn
            except MustWait:
                if self.clock() < deadline:
                    await self.clock.sleep(min(0.25, deadline - self.clock()))
                    continue
            except Conflict:
                if self.clock() < deadline + 0.4:
                    continue
            except (TransportError, NotHeld):
                if self.clock() < deadline:
                    continue
            break
        await self.withdraw(deadline + 2)
        return None

    async def try_turn(self):
        async with self.ledger() as ledger:
            now = self.clock()
            if ledger.queue and now >= ledger.value["since"] + self.turn_s:
                ledger.remove(0, now)
            try:
                position = ledger.position(self.label)
            except Missing:
                ledger.add(self.label, now)
                position = ledger.position(self.label)
        if position > 0:
            raise MustWait
        return Turn(ledger.queue[0][0], ledger.value["since"] + self.turn_s)

    async def withdraw(self, until):
        while self.clock() < until:
            try:
                async with self.ledger() as ledger:
                    ledger.remove(ledger.position(self.label), self.clock())
                return
            except Missing:
                return
            except (Conflict, TransportError):
                pass

    async def release(self):
        turn = self.running()
        self.levels -= 1
        if not self.levels:
            self.turn = None
            await self.withdraw(turn.until)
