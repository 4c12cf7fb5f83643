# As in the baker's shop: one key has the two numbers and the time, and each ticket that is not served yet has a key of its own.
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
        self._turn_s = turn_s
        self._name = name
        self._board_key = f"board of {name}"
        self._ticket = None  # of this owner, if it has taken one
        self._secret = None
        self._turn = None
        self._count = 0

    def _key(self, ticket):
        return f"ticket {ticket} of {self._name}"

    async def _board(self):
        """Next ticket, served ticket, since when, and the version."""
        [entry] = await self._cache.read(self._board_key)
        if entry.value is None:
            return 1, 1, 0.0, entry.version
        return *entry.value, entry.version

    async def _advance(self):
        """Pass over the ticket that is served if its time is up, or if its owner has thrown it away."""
        next, served, since, version = await self._board()
        now = self._clock()
        if served == next:
            return True
        [head] = await self._cache.read(self._key(served))
        if head.value is not None and now < since + self._turn_s:
            return True
        return await self._cache.commit(
            {self._board_key: version, self._key(served): head.version},
            {self._board_key: [next, served + 1, now], self._key(served): None},
        )

    async def _take(self):
        next, served, since, version = await self._board()
        if self._ticket is not None and self._ticket != next:
            # Whether it was taken: is our secret under its key?
            [entry] = await self._cache.read(self._key(self._ticket))
            if entry.value == self._secret:
                return True
            self._ticket = None
        now = self._clock()
        self._ticket = next
        return await self._cache.commit(
            {self._board_key: version},
            {
                self._board_key: [next + 1, served, now if served == next else since],
                self._key(next): self._secret,
            },
        )

    async def _look(self):
        """A Turn; "wait"; or "again"."""
        if self._ticket is None or self._doubtful:
            self._doubtful = True
            if not await self._take():
                self._ticket = None
                return "again"
            self._doubtful = False
        next, served, since, version = await self._board()
        if served > self._ticket:
            self._ticket = None
            return "again"
        if served == self._ticket and self._clock() < since + self._turn_s:
            return Turn(served, since + self._turn_s)
        if served == self._ticket or self._clock() >= since + self._turn_s:
            await self._advance()
            return "again"
        [head] = await self._cache.read(self._key(served))
        if head.value is None:
            await self._advance()
            return "again"
        return "wait"

    async def acquire(self, wait_s):
        if self._turn is not None and self._clock() < self._turn.until:
            self._count += 1
            return self._turn
        self._turn, self._ticket, self._doubtful = None, None, False
        self._secret = secrets.token_hex(8)
        deadline = self._clock() + wait_s
        looks = 0
        while True:
            try:
                looks += 1
                result = await self._look()
                if isinstance(result, Turn) and self._clock() < result.until:
                    self._turn, self._count = result, 1
                    return result
                left = deadline - self._clock()
                if left <= (-0.3 if result == "again" else 0):
                    break
                if result == "wait":
                    await self._clock.sleep(min(0.25, left))
            except TransportError:
                if self._clock() >= deadline:
                    break
        await self._throw_away(deadline + 2)
        return None

    async def _throw_away(self, until):
        while self._ticket is not None and self._clock() < until:
            try:
                next, served, since, version = await self._board()
                [entry] = await self._cache.read(self._key(self._ticket))
                if entry.value != self._secret:
                    self._ticket = None
                    return
                checks = {self._board_key: version, self._key(self._ticket): entry.version}
                writes = {self._key(self._ticket): None}
                if served == self._ticket:
                    writes[self._board_key] = [next, served + 1, self._clock()]
                if await self._cache.commit(checks, writes):
                    self._ticket = None
            except TransportError:
                pass

    async def release(self):
        if self._turn is None or self._clock() >= self._turn.until:
            self._turn = None
            raise NotHeld
        self._count -= 1
        if self._count == 0:
            turn, self._turn = self._turn, None
            self._ticket = turn.ticket
            await self._throw_away(turn.until)
