# killed-by: the_record_outlives_quiet_times
# bug: The last ticket and the one that is served are two keys with a ttl each. One is written when somebody comes, the other when somebody goes: in a quiet time one is forgotten before the other.
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
        self._tickets, self._serving = f"{name}:tickets", f"{name}:serving"
        self._turn_s = turn_s
        self._keep_s = 5 * turn_s
        self._turn = None
        self._who = None
        self._count = 0

    def _holds(self):
        return self._count > 0 and self._clock() < self._turn.until

    async def acquire(self, wait_s):
        if self._holds():
            self._count += 1
            return self._turn
        deadline = self._clock() + wait_s
        who = secrets.token_hex(8)
        while True:
            try:
                turn = await self._look(who)
                if turn is not None and self._clock() < turn.until:
                    self._turn, self._who, self._count = turn, who, 1
                    return turn
            except TransportError:
                pass
            left = deadline - self._clock()
            if left <= 0:
                return None
            await self._clock.sleep(min(0.25, left))

    async def _look(self, who):
        tickets, serving = await self._cache.read(self._tickets, self._serving)
        checks = {self._tickets: tickets.version, self._serving: serving.version}
        owners = tickets.value or []
        at = serving.value or {"ticket": 0, "since": self._clock(), "owner": None}
        now = self._clock()
        if who not in owners:
            if at["ticket"] == len(owners):
                at["since"] = now
                await self._cache.commit(checks, {self._tickets: owners + [who], self._serving: at}, self._keep_s)
            else:
                await self._cache.commit(checks, {self._tickets: owners + [who]}, self._keep_s)
            return await self._look(who)
        ticket = owners.index(who)
        if at["ticket"] == ticket:
            if at["owner"] != who:
                at.update(owner=who, since=now)
                await self._cache.commit(checks, {self._serving: at}, self._keep_s)
                return await self._look(who)
            return Turn(ticket, at["since"] + self._turn_s)
        if now >= at["since"] + self._turn_s:
            await self._cache.commit(checks, {self._serving: {"ticket": at["ticket"] + 1, "since": now, "owner": None}},
                                     self._keep_s)
        return None

    async def release(self):
        if not self._holds():
            self._count = 0
            raise NotHeld
        self._count -= 1
        while self._count == 0 and self._clock() < self._turn.until:
            try:
                [serving] = await self._cache.read(self._serving)
                if serving.value is None or serving.value["owner"] != self._who:
                    return
                following = {"ticket": serving.value["ticket"] + 1, "since": self._clock(), "owner": None}
                if await self._cache.commit({self._serving: serving.version}, {self._serving: following}, self._keep_s):
                    return
            except TransportError:
                await self._clock.sleep(0.25)
