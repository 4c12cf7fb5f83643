# release() only marks the turn as done; whoever is next takes that away when it claims its own turn.
import secrets
from enum import Enum

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class Do(Enum):
    NOTHING = 0
    WRITE = 1


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.name = name
        self.turn_s = turn_s
        self.turn = None
        self.count = 0

    async def transact(self, function):
        """True if the function's wish was done, False if another was faster."""
        [entry] = await self.cache.read(self.name)
        record = entry.value or {"tickets": 0, "state": "free", "head": None, "since": 0.0, "waiting": []}
        before = self.clock()
        match function(record, before):
            case Do.NOTHING:
                return True, record, before
            case Do.WRITE:
                done = await self.cache.commit({self.name: entry.version}, {self.name: record})
                return done, record, before

    # States of the head: "free": nobody has the turn; "taken": `head` has it, since `since`. While it is free, the first
    # of those who wait may take it, since `since`.

    def step(self, record, now):
        match record:
            case {"state": "taken", "head": [_, name]} if name == self.me:
                return Do.NOTHING
        todo = Do.NOTHING
        if now >= record["since"] + self.turn_s:
            match record["state"]:
                case "taken":
                    record.update(state="free", head=None, since=now)
                    todo = Do.WRITE
                case "free" if record["waiting"] and record["waiting"][0][1] != self.me:
                    record["waiting"].pop(0)
                    record["since"] = now
                    todo = Do.WRITE
        if all(name != self.me for _, name in record["waiting"]):
            record["tickets"] += 1
            record["waiting"].append([record["tickets"], self.me])
            todo = Do.WRITE
        if record["state"] == "free" and record["waiting"][0][1] == self.me:
            record.update(state="taken", head=record["waiting"].pop(0), since=now)
            todo = Do.WRITE
        return todo

    def give_up(self, record, now):
        if record["state"] == "taken" and record["head"][1] == self.me:
            record.update(state="free", head=None, since=now)
            return Do.WRITE
        for i, (_, name) in enumerate(record["waiting"]):
            if name == self.me:
                del record["waiting"][i]
                if i == 0 and record["state"] == "free":
                    record["since"] = now
                return Do.WRITE
        return Do.NOTHING

    async def acquire(self, wait_s):
        if self.turn is not None and self.clock() < self.turn.until:
            self.count += 1
            return self.turn
        self.turn = None
        self.me = secrets.token_hex(16)
        deadline = self.clock() + wait_s
        while True:
            done = True
            try:
                done, record, _ = await self.transact(self.step)
                if done and record["state"] == "taken" and record["head"][1] == self.me:
                    turn = Turn(record["head"][0], record["since"] + self.turn_s)
                    if self.clock() < turn.until:
                        self.turn, self.count = turn, 1
                        return turn
                    # It is over before we knew of it. It counts as passed over: line up under another name.
                    self.me = secrets.token_hex(16)
            except TransportError:
                pass
            left = deadline - self.clock()
            if not done and left > -0.4:
                continue
            if left <= 0:
                break
            await self.clock.sleep(min(left, 0.2))
        await self.end(deadline + 2)
        return None

    async def end(self, until):
        done = False
        while not done and self.clock() < until:
            try:
                done, _, _ = await self.transact(self.give_up)
            except TransportError:
                pass

    async def release(self):
        if self.turn is None or not self.clock() < self.turn.until:
            self.turn = None
            raise NotHeld
        self.count -= 1
        if self.count:
            return
        until, self.turn = self.turn.until, None
        await self.end(until)
