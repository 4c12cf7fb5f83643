# A turn begins when its owner claims it with a commit; until then the record only says since when the turn has waited.
import uuid
from dataclasses import dataclass

from leasehold import TransportError


class NotHeld(Exception):
    pass


@dataclass(frozen=True)
class Turn:
    ticket: int
    until: float


class FairLock:
    POLL = 0.3

    def __init__(self, cache, clock, name, turn_s):
        self.cache, self.clock, self.name, self.turn_s = cache, clock, name, turn_s
        self.turn = None
        self.inside = 0
        self.mark = ""

    async def load(self):
        [entry] = await self.cache.read(self.name)
        value = entry.value or {"last": 0, "queue": [], "claimed": False, "since": 0}
        return value, entry.version

    async def store(self, value, version):
        return await self.cache.commit({self.name: version}, {self.name: value})

    def advance(self, value, now):
        value["queue"].pop(0)
        value["claimed"] = False
        value["since"] = now

    async def acquire(self, wait_s):
        now = self.clock()
        if self.turn and now < self.turn.until:
            self.inside += 1
            return Turn(self.turn.ticket, self.turn.until)
        self.turn, self.inside, self.mark = None, 0, uuid.uuid4().hex
        end = now + wait_s
        first_time = True
        while first_time or self.clock() < end:
            first_time = False
            try:
                turn = await self.once()
            except TransportError:
                continue
            if turn == "again":
                first_time = self.clock() < end + 0.3
                continue
            if turn and self.clock() < turn.until:
                self.turn, self.inside = turn, 1
                return turn
            await self.clock.sleep(max(0, min(self.POLL, end - self.clock())))
        await self.leave(end + 2.5)
        return None

    async def once(self):
        """A Turn, or None to wait, or "again"."""
        value, version = await self.load()
        before = self.clock()
        queue = value["queue"]
        if queue and before >= value["since"] + self.turn_s:
            self.advance(value, before)
        elif queue and queue[0]["mark"] == self.mark and value["claimed"]:
            # The answer to the claim was lost.
            return Turn(queue[0]["ticket"], value["since"] + self.turn_s)
        elif any(place["mark"] == self.mark for place in queue) and queue[0]["mark"] != self.mark:
            return None
        if not any(place["mark"] == self.mark for place in queue):
            value["last"] += 1
            queue.append({"ticket": value["last"], "mark": self.mark})
        mine = queue[0]["mark"] == self.mark
        if mine:
            value["claimed"] = True
            value["since"] = before
        if not await self.store(value, version):
            return "again"
        return Turn(queue[0]["ticket"], before + self.turn_s) if mine else None

    async def leave(self, until):
        while self.clock() < until:
            try:
                value, version = await self.load()
                marks = [place["mark"] for place in value["queue"]]
                if self.mark not in marks:
                    return
                if marks[0] == self.mark:
                    self.advance(value, self.clock())
                else:
                    del value["queue"][marks.index(self.mark)]
                if await self.store(value, version):
                    return
            except TransportError:
                pass

    async def release(self):
        if not self.turn:
            raise NotHeld("no turn")
        if self.clock() >= self.turn.until:
            self.turn = None
            raise NotHeld("the turn is over")
        self.inside -= 1
        if self.inside:
            return
        turn, self.turn = self.turn, None
        await self.leave(turn.until)
