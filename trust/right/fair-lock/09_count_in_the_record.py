# Also the nesting is in the record: each acquire() has a random key, a place in the line has a list of keys, and release() takes one out.
import secrets

from leasehold import TransportError


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class Conflict(Exception):
    """Somebody else's commit was faster."""


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._name = name
        self._turn_s = turn_s
        self._keys = []  # of this owner's acquires in the turn that runs
        self._until = None

    async def _change(self, change):
        [entry] = await self._cache.read(self._name)
        record = entry.value or {"next": 1, "since": 0.0, "line": []}
        changed = change(record, self._clock())
        if changed and not await self._cache.commit({self._name: entry.version}, {self._name: record}):
            raise Conflict
        return record

    def _expire(self, record, now):
        if record["line"] and now >= record["since"] + self._turn_s:
            del record["line"][0]
            record["since"] = now
            return True
        return False

    def _line_up(self, key):
        def change(record, now):
            changed = self._expire(record, now)
            if not any(key in place["keys"] for place in record["line"]):
                if not record["line"]:
                    record["since"] = now
                record["line"].append({"ticket": record["next"], "keys": [key]})
                record["next"] += 1
                changed = True
            return changed

        return change

    def _go_in(self, old, new):
        def change(record, now):
            if self._expire(record, now) or not record["line"] or old not in record["line"][0]["keys"]:
                return False  # over: nothing is written
            keys = record["line"][0]["keys"]
            if new not in keys:
                keys.append(new)
                return True
            return False

        return change

    def _take_out(self, key):
        def change(record, now):
            for place in record["line"]:
                if key in place["keys"]:
                    place["keys"].remove(key)
                    if not place["keys"]:
                        if place is record["line"][0]:
                            record["since"] = now
                        record["line"].remove(place)
                    return True
            return False

        return change

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        key = secrets.token_hex(8)
        while self._keys and self._clock() < self._until:
            try:
                record = await self._change(self._go_in(self._keys[0], key))
            except (TransportError, Conflict):
                continue
            if self._clock() < self._until and key in record["line"][0]["keys"]:
                self._keys.append(key)
                return Turn(record["line"][0]["ticket"], self._until)
            break
        self._keys.clear()
        key = secrets.token_hex(8)
        while True:
            again = False
            try:
                record = await self._change(self._line_up(key))
                if key in record["line"][0]["keys"]:
                    until = record["since"] + self._turn_s
                    if self._clock() < until:
                        self._keys, self._until = [key], until
                        return Turn(record["line"][0]["ticket"], until)
                    again = self._clock() < deadline
            except Conflict:
                again = self._clock() < deadline + 0.4
            except TransportError:
                again = self._clock() < deadline
            if again:
                continue
            left = deadline - self._clock()
            if left <= 0:
                break
            await self._clock.sleep(min(left, 0.25))
        await self._insist(self._take_out(key), deadline + 2)
        return None

    async def _insist(self, change, until):
        while self._clock() < until:
            try:
                await self._change(change)
                return
            except (TransportError, Conflict):
                pass

    async def release(self):
        if not self._keys or self._clock() >= self._until:
            self._keys.clear()
            raise NotHeld
        await self._insist(self._take_out(self._keys.pop()), self._until)
