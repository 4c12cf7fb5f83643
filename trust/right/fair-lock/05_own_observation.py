# No time is written into the record: each waiter counts from when it first saw the turn itself, and a turn begins when claimed.
from secrets import randbits

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class Observer:
    """Since when the same thing has been seen."""

    def __init__(self):
        self.what = None
        self.since = None

    def see(self, what, now):
        if what != self.what:
            self.what, self.since = what, now
        return now - self.since


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._name = name
        self._turn_s = turn_s
        self._turn = None
        self._depth = 0
        self._id = None

    async def acquire(self, wait_s):
        if self._turn is not None and self._clock() < self._turn.until:
            self._depth += 1
            return self._turn
        self._turn, self._depth, self._id = None, 0, randbits(60)
        deadline = self._clock() + wait_s
        observer = Observer()
        claims = {}  # number: when it was sent
        while True:
            try:
                progress = await self._step(observer, claims)
            except TransportError:
                progress = None
            if isinstance(progress, Turn) and self._clock() < progress.until:
                self._turn, self._depth = progress, 1
                return progress
            now = self._clock()
            if progress == "conflict" and now < deadline + 0.3:
                continue
            if now >= deadline:
                break
            if progress == "wait":
                await self._clock.sleep(min(0.25, deadline - now))
        await self._drop(deadline + 2)
        return None

    async def _step(self, observer, claims):
        [entry] = await self._cache.read(self._name)
        now = self._clock()
        # `claim` is a random number for the commit that claimed the turn, 0 while nobody has.
        record = entry.value or {"next": 1, "line": [], "claim": 0}
        line = record["line"]
        changed = False
        if record["claim"] in claims:
            # It was done, although we did not hear of it in time. It counts from when it was sent.
            turn = Turn(line[0][0], claims[record["claim"]] + self._turn_s)
            if now < turn.until:
                return turn
        seen = observer.see((line[0], record["claim"]), now) if line else 0
        if record["claim"] in claims or seen >= self._turn_s:
            line.pop(0)
            record["claim"] = 0
            changed = True
        ids = [id for _, id in line]
        if self._id not in ids:
            line.append([record["next"], self._id])
            record["next"] += 1
        elif ids[0] != self._id and not changed:
            return "wait"
        claim = 0
        if line[0][1] == self._id:
            claim = record["claim"] = randbits(50) + 1
            claims[claim] = now
        if not await self._cache.commit({self._name: entry.version}, {self._name: record}):
            return "conflict"
        return Turn(line[0][0], now + self._turn_s) if claim else "wait"

    async def _drop(self, until):
        while self._clock() < until:
            try:
                [entry] = await self._cache.read(self._name)
                if entry.value is None:
                    return
                record = entry.value
                line = [place for place in record["line"] if place[1] != self._id]
                if len(line) == len(record["line"]):
                    return
                if record["line"][0][1] == self._id:
                    record["claim"] = 0
                record["line"] = line
                if await self._cache.commit({self._name: entry.version}, {self._name: record}):
                    return
            except TransportError:
                pass

    async def release(self):
        if self._turn is None or self._clock() >= self._turn.until:
            self._turn = None
            raise NotHeld("not my turn")
        if self._depth > 1:
            self._depth -= 1
            return
        turn, self._turn = self._turn, None
        await self._drop(turn.until)
