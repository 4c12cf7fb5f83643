# killed-by: the_record_outlives_quiet_times
# bug: Only acquire writes a ttl, so that a lock whose holder died is cleaned up. When nobody comes by in time, the number of the last ticket goes with it.
import secrets

from leasehold import TransportError

LOOK_EVERY = 0.25


class NotHeld(Exception):
    """The lock is not this owner's."""


class Turn:
    """A turn that came: its ticket, and the moment on the clock at which it is over."""

    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class FairLock:
    """The record: {"next": ticket, "since": seconds, "claimed": bool, "line": [[ticket, who], ...]}.

    The first in the line is the one that is being served, since `since`. `who` is drawn anew for each ticket, so
    that whoever does not know whether its commit was done can look for itself in the line.
    """

    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._key = f"fair/{name}"
        self._turn_s = turn_s
        self._who = None
        self._turn = None
        self._count = 0

    async def acquire(self, wait_s):
        if self._holds():
            self._count += 1
            return self._turn
        who = secrets.token_hex(8)
        deadline = self._clock() + wait_s
        while True:
            turn = await self._change(who, self._step)
            if turn is not None and self._clock() < turn.until:
                self._who, self._turn, self._count = who, turn, 1
                return turn
            left = deadline - self._clock()
            if left <= 0:
                await self._change(who, self._leave)
                return None
            await self._clock.sleep(min(LOOK_EVERY, left))

    async def release(self):
        if not self._holds():
            self._count = 0
            raise NotHeld
        self._count -= 1
        if self._count == 0:
            while self._clock() < self._turn.until:
                if await self._change(self._who, self._leave):
                    return
                await self._clock.sleep(LOOK_EVERY)
            raise NotHeld

    def _holds(self):
        return self._count > 0 and self._clock() < self._turn.until

    async def _change(self, who, change):
        """Lets `change` work on the record until a commit is through. What it gave; None if an answer was lost."""
        try:
            while True:
                [entry] = await self._cache.read(self._key)
                record = entry.value or {"next": 1, "since": 0.0, "claimed": False, "line": []}
                changed, result = change(record, who)
                ttl = None if change == self._leave else 20 * self._turn_s
                if not changed or await self._cache.commit({self._key: entry.version}, {self._key: record}, ttl):
                    return result
        except TransportError:
            return None

    def _step(self, record, who):
        now = self._clock()
        line = record["line"]
        changed = False
        if line and line[0][1] != who and record["since"] + self._turn_s <= now:
            # However it came to that, this turn has lasted long enough.
            self._next(record, now)
            changed = True
        if all(other != who for _, other in line):
            line.append([record["next"], who])
            record["next"] += 1
            changed = True
        ticket, first = line[0]
        if first != who:
            return changed, None
        if not record["claimed"] or record["since"] + self._turn_s <= now:
            record["claimed"] = True
            record["since"] = now
            changed = True
        return changed, Turn(ticket, record["since"] + self._turn_s)

    def _leave(self, record, who):
        line = record["line"]
        if line and line[0][1] == who:
            self._next(record, self._clock())
            return True, True
        for waiting in line:
            if waiting[1] == who:
                line.remove(waiting)
                return True, True
        # Not there, or not any more: an earlier commit was done.
        return False, True

    def _next(self, record, now):
        record["line"].pop(0)
        record["claimed"] = False
        record["since"] = now
