# The record holds the line as a list of pairs, ticket and a random name; the first in it has the turn from `since` on.
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
        self._name = name
        self._turn_s = turn_s
        self._turn = None
        self._count = 0
        self._me = None

    async def acquire(self, wait_s):
        if self._turn is not None and self._clock() < self._turn.until:
            self._count += 1
            return self._turn
        deadline = self._clock() + wait_s
        self._me = secrets.token_hex(8)
        self._turn = await self._wait(deadline)
        self._count = 1
        if self._turn is None:
            await self._take_away(deadline + 2)
        return self._turn

    async def _read(self):
        [entry] = await self._cache.read(self._name)
        return entry.value or {"next": 1, "line": [], "since": 0.0}, entry.version

    async def _commit(self, version, record):
        return await self._cache.commit({self._name: version}, {self._name: record})

    async def _wait(self, deadline):
        while True:
            pause = 0.25
            try:
                record, version = await self._read()
                now = self._clock()
                line = record["line"]
                changed = False
                if line and now >= record["since"] + self._turn_s:
                    line.pop(0)
                    record["since"] = now
                    changed = True
                if all(name != self._me for _, name in line):
                    if not line:
                        record["since"] = now
                    line.append([record["next"], self._me])
                    record["next"] += 1
                    changed = True
                if changed and not await self._commit(version, record):
                    pause = 0
                else:
                    ticket, first = line[0]
                    until = record["since"] + self._turn_s
                    if first == self._me:
                        if self._clock() < until:
                            return Turn(ticket, until)
                        pause = 0
            except TransportError:
                pause = 0
            now = self._clock()
            if now >= deadline + (0.4 if pause == 0 else 0):
                return None
            if pause:
                await self._clock.sleep(min(pause, deadline - now))

    async def _take_away(self, until):
        while self._clock() < until:
            try:
                record, version = await self._read()
                rest = [place for place in record["line"] if place[1] != self._me]
                if rest == record["line"]:
                    return
                if record["line"][0][1] == self._me:
                    record["since"] = self._clock()
                record["line"] = rest
                if await self._commit(version, record):
                    return
            except TransportError:
                pass

    async def release(self):
        turn = self._turn
        if turn is None or self._clock() >= turn.until:
            self._turn = None
            raise NotHeld
        self._count -= 1
        if self._count == 0:
            self._turn = None
            await self._take_away(turn.until)
