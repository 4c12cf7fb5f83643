"""The cache's versions never come twice: they are the tickets. The record is a list of waiters, each with its state."""
import secrets

from leasehold import TransportError


class NotHeld(RuntimeError):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until

    def runs(self, clock):
        return clock() < self.until


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._name = name
        self._turn_s = turn_s
        self._turns = []
        self._id = ""

    async def acquire(self, wait_s):
        if self._turns and self._turns[-1].runs(self._clock):
            self._turns.append(self._turns[-1])
            return self._turns[-1]
        del self._turns[:]
        self._id = secrets.token_hex(16)
        give_up_at = self._clock() + wait_s
        pause = 0.0
        while True:
            turn, pause = await self._try()
            if turn is not None and turn.runs(self._clock):
                self._turns.append(turn)
                return turn
            # A step that was made or that came too late is followed by another at once: that is still the same try.
            if pause and self._clock() >= give_up_at:
                await self._try_to_leave()
                return None
            await self._clock.sleep(max(0.0, min(pause, give_up_at - self._clock())))

    async def _try(self):
        try:
            [entry] = await self._cache.read(self._name)
            queue = entry.value or []
            now = self._clock()
            mine = [place for place in queue if place["id"] == self._id]
            if queue and queue[0] not in mine and now >= queue[0]["from"] + self._turn_s:
                queue = queue[1:]
                if queue:
                    queue[0]["from"] = now
            elif not mine:
                queue = queue + [{"id": self._id, "from": now, "got": False}]
            elif queue[0] in mine and not (queue[0]["got"] and now < queue[0]["from"] + self._turn_s):
                queue[0].update(got=True)
                queue[0]["from"] = now
            elif queue[0] in mine:
                # Found as this owner wrote it: the version is that of its own commit, or of somebody's who came since.
                ticket = queue[0].get("ticket")
                if ticket is not None:
                    return Turn(ticket, queue[0]["from"] + self._turn_s), 0.25
                queue[0]["ticket"] = entry.version
            else:
                return None, 0.25
            await self._cache.commit({self._name: entry.version}, {self._name: queue})
            return None, 0.0
        except TransportError:
            return None, 0.1

    async def _leave(self):
        """True if this owner is not in the queue any more."""
        [entry] = await self._cache.read(self._name)
        queue = entry.value or []
        rest = [place for place in queue if place["id"] != self._id]
        if len(rest) == len(queue):
            return True
        if rest and queue[0]["id"] == self._id:
            rest[0]["from"] = self._clock()
        return await self._cache.commit({self._name: entry.version}, {self._name: rest})

    async def _try_to_leave(self):
        try:
            while not await self._leave():
                pass
        except TransportError:
            pass

    async def release(self):
        if not self._turns:
            raise NotHeld
        turn = self._turns.pop()
        if not turn.runs(self._clock):
            raise NotHeld
        while not self._turns and turn.runs(self._clock):
            try:
                if await self._leave():
                    return
            except TransportError:
                await self._clock.sleep(0.25)
