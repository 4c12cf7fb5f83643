# With no budget it does not even line up when somebody stands there already; everything else is one short loop.
from itertools import pairwise

from leasehold import TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service, self.clock, self.session, self.name = service, clock, session, name
        self.number = None

    async def acquire(self, wait_s):
        end = self.clock() + wait_s
        while True:
            try:
                line = await self.service.places(self.name)
                if not self.own(line):
                    if line and wait_s == 0:
                        return None
                    await self.service.append(self.name, self.session)
                    line = await self.service.places(self.name)
                if self.own(line[:1]):
                    self.number = line[0].number
                    return self.number
                for before, place in pairwise(line):
                    if self.own([place]) and self.clock() < end:
                        await self.wait(before.number, place.number, end)
                        break
            except TransportError:
                pass
            if self.clock() >= end:
                await self.leave()
                return None

    def own(self, line):
        return [place for place in line if place.session == self.session.id]

    async def wait(self, before, number, end):
        watch = await self.service.watch(before, number)
        left = end - self.clock()
        if watch.gone or left <= 0 or not await watch.fired(min(10, left)):
            spawn(self.close(watch))

    async def close(self, watch):
        while True:
            try:
                return await watch.close()
            except TransportError:
                pass

    async def leave(self):
        end = self.clock() + 30
        while True:
            try:
                for place in self.own(await self.service.places(self.name)):
                    await self.service.remove(place.number)
                break
            except TransportError:
                if self.clock() > end:
                    break

    async def release(self):
        if self.number is not None:
            await self.leave()
            self.number = None
