# The record is one text, tickets have gaps, and a turn is told to end half a second before it can be passed over.
import random
import re
import string

from leasehold import TransportError

MARGIN = 0.5
LINE = re.compile(r"(\d+):(\w+)")
LETTERS = string.ascii_letters + string.digits


class NotHeld(Exception):
    pass


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


def decode(text):
    """"greatest ticket;since in microseconds;ticket:name,ticket:name" """
    if text is None:
        return 0, 0, []
    greatest, since, line = text.split(";")
    return int(greatest), int(since), [(int(ticket), name) for ticket, name in LINE.findall(line)]


def encode(greatest, since, line):
    return f"{greatest};{since};" + ",".join(f"{ticket}:{name}" for ticket, name in line)


def position(line, name):
    return next((i for i, (_, other) in enumerate(line) if other == name), None)


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.key = name
        self.turn_us = round(turn_s * 1_000_000)
        self.margin_us = min(round(MARGIN * 1_000_000), self.turn_us // 4)
        self.rng = random.SystemRandom()
        self.turn = None
        self.depth = 0

    def now_us(self):
        return round(self.clock() * 1_000_000)

    def over(self, turn):
        return self.clock() >= turn.until

    async def acquire(self, wait_s):
        if self.turn is not None and not self.over(self.turn):
            self.depth += 1
            return self.turn
        self.turn, self.depth = None, 0
        self.alias = "".join(self.rng.choices(LETTERS, k=12))
        end = self.clock() + wait_s
        for pause in self.pauses(end):
            try:
                turn = await self.one_look(pause)
                if turn is not None:
                    if self.over(turn):
                        # Nearly over, and not worth telling. A new ticket.
                        await self.leave(self.clock() + 1)
                        pause.clear()
                    else:
                        self.turn, self.depth = turn, 1
                        return turn
            except TransportError:
                pause.clear()
            if pause and self.clock() < end:
                await self.clock.sleep(min(pause[0], end - self.clock()))
        await self.leave(end + 2)
        return None

    def pauses(self, end):
        """Lists that are emptied if there is to be no pause."""
        while True:
            pause = [self.rng.uniform(0.2, 0.4)]
            yield pause
            if self.clock() >= end + (0.3 if pause == [] else 0):
                return

    async def one_look(self, pause):
        [entry] = await self.cache.read(self.key)
        greatest, since, line = decode(entry.value)
        now = self.now_us()
        if line and now >= since + self.turn_us:
            del line[0]
            since = now
        if position(line, self.alias) is None:
            if not line:
                since = now
            greatest += self.rng.randint(1, 9)
            line.append((greatest, self.alias))
        text = encode(greatest, since, line)
        if text != entry.value and not await self.cache.commit({self.key: entry.version}, {self.key: text}):
            pause.clear()
            return None
        if position(line, self.alias) == 0:
            return Turn(line[0][0], (since + self.turn_us - self.margin_us) / 1_000_000)
        return None

    async def leave(self, until):
        while self.clock() < until:
            try:
                [entry] = await self.cache.read(self.key)
                greatest, since, line = decode(entry.value)
                at = position(line, self.alias)
                if at is None:
                    return
                del line[at]
                if at == 0:
                    since = self.now_us()
                if await self.cache.commit({self.key: entry.version}, {self.key: encode(greatest, since, line)}):
                    return
            except TransportError:
                pass

    async def release(self):
        if self.turn is None or self.over(self.turn):
            self.turn = None
            raise NotHeld(self.key)
        self.depth -= 1
        if self.depth == 0:
            turn, self.turn = self.turn, None
            await self.leave(turn.until)
