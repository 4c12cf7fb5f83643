"""Everything in the record, the count too: next, serving, owner, since, count, and who has which ticket."""
import uuid

from leasehold import TransportError

FRESH = {"next": 1, "serving": 1, "owner": None, "since": 0.0, "count": 0, "tickets": {}}


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket, self.until = ticket, until


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.key, self.turn_s = cache, clock, "lock:" + name, turn_s
        self.owner = None
        self.turn = None
        self.count = 0

    async def load(self):
        [entry] = await self.cache.read(self.key)
        return entry.version, {**FRESH, **(entry.value or {})}

    async def store(self, version, record):
        return await self.cache.commit({self.key: version}, {self.key: record})

    def advance(self, record):
        record["tickets"].pop(str(record["serving"]), None)
        record["serving"] += 1
        # Tickets that were given up are no longer among them.
        while record["serving"] < record["next"] and str(record["serving"]) not in record["tickets"]:
            record["serving"] += 1
        record.update(owner=None, count=0, since=self.clock())

    async def acquire(self, wait_s):
        end = self.clock() + wait_s
        if self.turn is not None and self.clock() < self.turn.until:
            # The process may have slept on the way, for longer than was left.
            if await self.set_count(self.count + 1) and self.clock() < self.turn.until:
                return self.turn
        self.turn, self.count = None, 0
        me = str(uuid.uuid4())
        while True:
            try:
                version, record = await self.load()
                turn = await self.go_on(version, record, me)
            except TransportError:
                turn = None
            if turn is False:
                continue
            if turn and self.clock() < turn.until:
                self.owner, self.turn, self.count = me, turn, 1
                return turn
            left = end - self.clock()
            if left <= 0:
                await self.give_up(me)
                return None
            await self.clock.sleep(min(left, 0.3))

    async def go_on(self, version, record, me):
        """One step towards the turn: the turn, None, or False if the record has changed meanwhile."""
        now = self.clock()
        before = repr(record)
        over = record["serving"] < record["next"] and now >= record["since"] + self.turn_s
        if over and record["tickets"].get(str(record["serving"])) != me:
            self.advance(record)
        if me not in record["tickets"].values():
            if record["serving"] == record["next"]:
                record["since"] = now
            record["tickets"][str(record["next"])] = me
            record["next"] += 1
        mine = record["tickets"].get(str(record["serving"])) == me
        if mine and (record["owner"] != me or now >= record["since"] + self.turn_s):
            record.update(owner=me, since=now, count=1)
        if repr(record) != before and not await self.store(version, record):
            return False
        return Turn(record["serving"], record["since"] + self.turn_s) if mine else None

    async def give_up(self, me):
        for _ in range(2):
            try:
                version, record = await self.load()
                if record["tickets"].get(str(record["serving"])) == me:
                    self.advance(record)
                else:
                    record["tickets"] = {t: who for t, who in record["tickets"].items() if who != me}
                if await self.store(version, record):
                    return
            except TransportError:
                return

    async def set_count(self, count):
        """Writes how often this owner is in; 0 ends its turn. Whether that is now so."""
        while self.clock() < self.turn.until:
            try:
                version, record = await self.load()
                if record["owner"] != self.owner:
                    return count == 0
                if record["count"] != count:
                    record["count"] = count
                    if count == 0:
                        self.advance(record)
                    if not await self.store(version, record):
                        continue
                self.count = count
                return True
            except TransportError:
                await self.clock.sleep(0.1)
        return False

    async def release(self):
        if self.turn is None:
            raise NotHeld("nothing to release")
        if not await self.set_count(self.count - 1):
            self.turn = None
            raise NotHeld("the turn is over")
        if self.count == 0:
            self.turn = None
