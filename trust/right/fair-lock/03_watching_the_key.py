# It watches the key instead of polling: read, watch, compare the versions, and wait for the watch until the turn can be over.
import random

from leasehold import TransportError, spawn


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


def empty():
    return {"next": 1, "since": 0.0, "tickets": [], "names": []}


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._key = name
        self._turn_s = turn_s
        self._held = []  # one Turn for each acquire() that was not released

    async def acquire(self, wait_s):
        if self._held and self._clock() < self._held[-1].until:
            self._held.append(self._held[-1])
            return self._held[-1]
        self._held.clear()
        self._name = "%032x" % random.SystemRandom().getrandbits(128)
        deadline = self._clock() + wait_s
        while True:
            version = None
            try:
                record, version, conflict = await self._settle()
                if conflict:
                    if self._clock() < deadline + 0.3:
                        continue
                elif record["names"][0] == self._name:
                    turn = Turn(record["tickets"][0], record["since"] + self._turn_s)
                    if self._clock() < turn.until:
                        self._held.append(turn)
                        return turn
                    continue
                else:
                    await self._wait(version, record["since"] + self._turn_s, deadline)
            except TransportError:
                pass
            if self._clock() >= deadline:
                await self._strike_out(deadline + 2)
                return None

    async def _settle(self):
        """The record with our name in it and nobody first whose turn is over; its version; or whether another was faster."""
        [entry] = await self._cache.read(self._key)
        record = entry.value or empty()
        now = self._clock()
        changed = False
        if record["names"] and now >= record["since"] + self._turn_s:
            del record["names"][0], record["tickets"][0]
            record["since"] = now
            changed = True
        if self._name not in record["names"]:
            if not record["names"]:
                record["since"] = now
            record["names"].append(self._name)
            record["tickets"].append(record["next"])
            record["next"] += 1
            changed = True
        if changed:
            done = await self._cache.commit({self._key: entry.version}, {self._key: record})
            return record, None, not done
        return record, entry.version, False

    async def _wait(self, version, over, deadline):
        if version is None:
            return  # just written: read it once more, to know its version
        if self._clock() >= deadline:
            return
        watch = await self._cache.watch(self._key)
        fired = False
        try:
            now = self._clock()
            if watch.version == version and now < min(over, deadline):
                # A watch can be lost when the cache restarts. So not for long.
                fired = await watch.fired(min(0.5, over - now, deadline - now))
        finally:
            if not fired:
                spawn(self._close(watch))

    async def _close(self, watch):
        for attempt in range(10):
            try:
                return await watch.close()
            except TransportError:
                pass

    async def _strike_out(self, until):
        while self._clock() < until:
            try:
                [entry] = await self._cache.read(self._key)
                record = entry.value
                if record is None or self._name not in record["names"]:
                    return
                at = record["names"].index(self._name)
                del record["names"][at], record["tickets"][at]
                if at == 0:
                    record["since"] = self._clock()
                if await self._cache.commit({self._key: entry.version}, {self._key: record}):
                    return
            except TransportError:
                continue

    async def release(self):
        if not self._held or self._clock() >= self._held[-1].until:
            self._held.clear()
            raise NotHeld(self._key)
        turn = self._held.pop()
        if not self._held:
            await self._strike_out(turn.until)
