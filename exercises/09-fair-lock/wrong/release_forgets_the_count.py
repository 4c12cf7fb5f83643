# killed-by: a_dead_holder_is_passed_over
# bug: The count is in the record, and nobody sets it back when a turn ends otherwise than by its last release. The next holder's release only counts down, and the release that would free the lock never comes.
import secrets

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._key = name
        self._turn_s = turn_s
        self._who = None
        self._turn = None

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        if self._turn is None or self._clock() >= self._turn.until:
            self._turn = None
            self._who = secrets.token_hex(8)
        while True:
            try:
                turn = await self._step()
                if turn is not None and self._clock() < turn.until:
                    self._turn = turn
                    return turn
            except TransportError:
                pass
            left = deadline - self._clock()
            if left <= 0:
                return None
            await self._clock.sleep(min(0.25, left))

    async def _step(self):
        while True:
            [entry] = await self._cache.read(self._key)
            record = entry.value or {"serving": 1, "line": [], "owner": None, "since": 0.0, "count": 0}
            now, line = self._clock(), record["line"]
            if line and line[0] != self._who and now >= record["since"] + self._turn_s:
                line.pop(0)
                record.update(serving=record["serving"] + 1, owner=None, since=now)
            if self._who not in line:
                line.append(self._who)
            if line[0] == self._who:
                if record["owner"] != self._who:
                    record.update(owner=self._who, since=now)
                if self._turn is not None or record["count"] == 0 or record["since"] == now:
                    record["count"] += 1
            if await self._cache.commit({self._key: entry.version}, {self._key: record}):
                return Turn(record["serving"], record["since"] + self._turn_s) if line[0] == self._who else None

    async def release(self):
        if self._turn is None or self._clock() >= self._turn.until:
            self._turn = None
            raise NotHeld
        while self._clock() < self._turn.until:
            try:
                [entry] = await self._cache.read(self._key)
                record = entry.value
                if record["owner"] != self._who:
                    self._turn = None
                    return
                record["count"] -= 1
                if record["count"] == 0:
                    record["line"].pop(0)
                    record.update(serving=record["serving"] + 1, owner=None, since=self._clock())
                if await self._cache.commit({self._key: entry.version}, {self._key: record}):
                    if record["count"] == 0:
                        self._turn = None
                    return
            except TransportError:
                await self._clock.sleep(0.25)
