# A base class repeats changes of a shared value until they are known to be done; rules and state of the lock are a subclass.
import abc
import secrets
from contextlib import suppress

from leasehold import TransportError


class Unchanged(Exception):
    """Raised by a change that has nothing to write."""


class OutOfTime(Exception):
    pass


class SharedValue(abc.ABC):
    def __init__(self, cache, clock, key):
        self.cache = cache
        self.clock = clock
        self.key = key

    @abc.abstractmethod
    def initial(self):
        ...

    async def change(self, function, until):
        """Call function(value, now), which changes the value in place, and write it. Changes must see for themselves
        whether they were done before. Gives what the function gives."""
        while True:
            with suppress(TransportError):
                [entry] = await self.cache.read(self.key)
                value = entry.value if entry.version and entry.value is not None else self.initial()
                try:
                    result = function(value, self.clock())
                except Unchanged as unchanged:
                    return unchanged.args[0]
                if await self.cache.commit({self.key: entry.version}, {self.key: value}):
                    return result
            if self.clock() >= until:
                raise OutOfTime


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until

    def __eq__(self, other):
        return isinstance(other, Turn) and (self.ticket, self.until) == (other.ticket, other.until)

    def __hash__(self):
        return hash((self.ticket, self.until))


class FairLock(SharedValue):
    def __init__(self, cache, clock, name, turn_s):
        super().__init__(cache, clock, name)
        self.turn_s = turn_s
        self.turns = []

    def initial(self):
        return {"issued": 0, "served since": 0.0, "line": {}}  # ticket -> name; dicts keep their order

    def first(self, value):
        return min(map(int, value["line"]), default=None)

    def line_up(self, value, now):
        """The Turn, or None to wait."""
        line = value["line"]
        written = False
        first = self.first(value)
        if first is not None and now >= value["served since"] + self.turn_s:
            del line[str(first)]
            value["served since"] = now
            written = True
        if self.name not in line.values():
            if not line:
                value["served since"] = now
            value["issued"] += 1
            line[str(value["issued"])] = self.name
            written = True
        first = self.first(value)
        turn = Turn(first, value["served since"] + self.turn_s) if line[str(first)] == self.name else None
        if not written:
            raise Unchanged(turn)
        return turn

    def step_out(self, value, now):
        for ticket, name in value["line"].items():
            if name == self.name:
                if int(ticket) == self.first(value):
                    value["served since"] = now
                del value["line"][ticket]
                return
        raise Unchanged(None)

    def runs(self):
        if self.turns and self.clock() >= self.turns[0].until:
            self.turns.clear()
        return bool(self.turns)

    async def acquire(self, wait_s):
        if self.runs():
            self.turns.append(self.turns[0])
            return self.turns[0]
        self.name = secrets.token_hex(7)
        deadline = self.clock() + wait_s
        with suppress(OutOfTime):
            while True:
                turn = await self.change(self.line_up, deadline + 0.3)
                if turn is not None and self.clock() < turn.until:
                    self.turns.append(turn)
                    return turn
                left = deadline - self.clock()
                if left <= 0:
                    break
                if turn is None:
                    await self.clock.sleep(min(0.3, left))
        with suppress(OutOfTime):
            await self.change(self.step_out, deadline + 1)
        return None

    async def release(self):
        if not self.runs():
            raise NotHeld
        turn = self.turns.pop()
        if not self.turns:
            with suppress(OutOfTime):
                await self.change(self.step_out, turn.until)
