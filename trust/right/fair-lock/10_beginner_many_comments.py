# Written step by step with a comment on each; when there is no time to wait it does not even take a ticket.
import uuid

import leasehold


class NotHeld(Exception):
    """Raised by release(): the lock is not this owner's, or not any more."""


class Turn:
    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class FairLock:
    def __init__(self, cache, clock, name, turn_s):
        self.cache = cache
        self.clock = clock
        self.name = name
        self.turn_s = turn_s
        # The turn that we have, and how often we went in.
        self.turn = None
        self.times = 0
        # The name under which we stand in the line.
        self.id = None

    async def acquire(self, wait_s):
        # Are we inside already?
        if self.turn is not None:
            if self.clock() < self.turn.until:
                self.times = self.times + 1
                return self.turn
        # No, or not any more.
        self.turn = None
        self.times = 0
        # A new name for each acquire.
        self.id = uuid.uuid4().hex
        start = self.clock()
        deadline = start + wait_s

        while True:
            answered = True
            committed = True
            try:
                # Read what all share.
                entries = await self.cache.read(self.name)
                entry = entries[0]
                record = entry.value
                if record is None:
                    record = {"next": 1, "since": 0, "ids": [], "tickets": []}
                now = self.clock()
                write = False

                # Is the time of the first one over? Then it goes.
                if len(record["ids"]) > 0 and now >= record["since"] + self.turn_s:
                    record["ids"] = record["ids"][1:]
                    record["tickets"] = record["tickets"][1:]
                    record["since"] = now
                    write = True

                # Do we stand in the line?
                if self.id not in record["ids"]:
                    if wait_s == 0 and len(record["ids"]) > 0:
                        # Somebody else has it, and we may not wait. But do take away what is over.
                        if write:
                            await self.cache.commit({self.name: entry.version}, {self.name: record})
                        return None
                    if len(record["ids"]) == 0:
                        # Nobody is here: our turn begins now.
                        record["since"] = now
                    record["ids"] = record["ids"] + [self.id]
                    record["tickets"] = record["tickets"] + [record["next"]]
                    record["next"] = record["next"] + 1
                    write = True

                # Write it if there is something to write.
                if write:
                    committed = await self.cache.commit({self.name: entry.version}, {self.name: record})

                # Is it our turn?
                if committed and record["ids"][0] == self.id:
                    until = record["since"] + self.turn_s
                    if self.clock() < until:
                        self.turn = Turn(record["tickets"][0], until)
                        self.times = 1
                        return self.turn
            except leasehold.TransportError:
                # Nobody knows. Look again.
                answered = False

            now = self.clock()
            if not committed and now < deadline + 0.4:
                # Somebody was faster. Again, at once.
                continue
            if now >= deadline:
                # Time is over.
                break
            if answered:
                pause = 0.25
                if pause > deadline - now:
                    pause = deadline - now
                await self.clock.sleep(pause)

        # Give up the ticket.
        await self.remove_me(deadline + 2)
        return None

    async def remove_me(self, until):
        while self.clock() < until:
            try:
                entries = await self.cache.read(self.name)
                entry = entries[0]
                record = entry.value
                if record is None:
                    return
                if self.id not in record["ids"]:
                    # We are not in there (any more).
                    return
                index = record["ids"].index(self.id)
                record["ids"].pop(index)
                record["tickets"].pop(index)
                if index == 0:
                    # The turn of the next one begins.
                    record["since"] = self.clock()
                if await self.cache.commit({self.name: entry.version}, {self.name: record}):
                    return
            except leasehold.TransportError:
                # Again.
                pass

    async def release(self):
        # Do we have it?
        if self.turn is None:
            raise NotHeld("there is no turn")
        # Still?
        if self.clock() >= self.turn.until:
            self.turn = None
            self.times = 0
            raise NotHeld("the turn is over")
        self.times = self.times - 1
        if self.times > 0:
            # An inner one.
            return
        until = self.turn.until
        self.turn = None
        await self.remove_me(until)
