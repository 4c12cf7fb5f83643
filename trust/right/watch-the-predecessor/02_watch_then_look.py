# It takes its place first, sets the watch before it looks, and believes only the look that came after the watch.
from leasehold import TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service, self.clock, self.session, self.name = service, clock, session, name
        self.holding = False

    async def acquire(self, wait_s):
        deadline = self.clock() + wait_s
        number = None
        watch = None
        try:
            while True:
                try:
                    if number is None:
                        number = await self.take_place()
                    before, number = await self.look(number)
                    if number is not None and before is None:
                        self.holding = True
                        return number
                    if number is not None and self.clock() < deadline:
                        watch = await self.service.watch(before, number)
                        now_before, number = await self.look(number)
                        if now_before == before and number is not None and not watch.gone:
                            left = deadline - self.clock()
                            if left > 0 and await watch.fired(min(left, 8)):
                                watch = None
                        elif number is not None and now_before is None:
                            self.holding = True
                            return number
                except TransportError:
                    pass
                if watch is not None:
                    spawn(self.close(watch))
                    watch = None
                if self.clock() >= deadline:
                    break
        finally:
            if watch is not None:
                spawn(self.close(watch))
        await self.leave()
        return None

    async def take_place(self):
        """A new place, or the one that was taken when the answer was lost."""
        mine = await self.mine()
        if mine:
            return mine[0]
        return await self.service.append(self.name, self.session)

    async def mine(self):
        return [p.number for p in await self.service.places(self.name) if p.session == self.session.id]

    async def look(self, number):
        """The number before this one, None if there is none; and this one, None if it is gone."""
        before = None
        for place in await self.service.places(self.name):
            if place.number == number:
                return before, number
            if place.session == self.session.id:
                # An older place of ours: it was taken although we did not hear of it.
                return before, place.number
            before = place.number
        return before, None

    async def close(self, watch):
        while True:
            try:
                await watch.close()
                return
            except TransportError:
                continue

    async def leave(self):
        begun = self.clock()
        while True:
            try:
                for number in await self.mine():
                    await self.service.remove(number)
                return
            except TransportError:
                if self.clock() - begun > 30:
                    return

    async def release(self):
        if self.holding:
            await self.leave()
            self.holding = False
