# A machine of small steps: each returns the next one. The watch is set before the look, so that no change falls between the two.
from leasehold import SessionLost, TransportError

SAFETY = 7.5


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service, self.clock, self.session, self.name = service, clock, session, name

    async def acquire(self, wait_s):
        self.until = self.clock() + wait_s
        self.number = self.ahead = self.watch = self.result = None
        step = self.enter
        while step is not None:
            try:
                step = await step()
            except TransportError:
                late = self.clock() >= self.until and step not in (self.leave, self.tidy, self.fail)
                step = self.leave if late else step
        return self.result

    async def enter(self):
        # An answer to an earlier append may have been lost: look before asking for a place.
        own = await self.own()
        if not own:
            try:
                self.number = await self.service.append(self.name, self.session)
            except SessionLost:
                return self.fail
        else:
            self.number = own[0]
        return self.look

    async def own(self):
        return [p.number for p in await self.service.places(self.name) if p.session == self.session.id]

    async def look(self):
        numbers = [p.number for p in await self.service.places(self.name)]
        if self.number not in numbers:
            return self.fail
        at = numbers.index(self.number)
        if at == 0:
            self.result = self.number
            return self.tidy
        if self.clock() >= self.until:
            return self.leave
        ahead = numbers[at - 1]
        if ahead == self.ahead:
            return self.sleep
        self.ahead = ahead
        return self.change_watch

    async def change_watch(self):
        if self.watch is not None:
            await self.watch.close()
            self.watch = None
        self.watch = await self.service.watch(self.ahead, self.number)
        return self.look

    async def sleep(self):
        fired = await self.watch.fired(min(SAFETY, self.until - self.clock()))
        if not fired and self.clock() < self.until:
            # Perhaps the service forgot the watch: set it anew.
            return self.change_watch
        return self.look

    async def tidy(self):
        if self.watch is not None:
            await self.watch.close()

    async def leave(self):
        for number in await self.own():
            await self.service.remove(number)
        return self.tidy

    async def fail(self):
        await self.tidy()
        raise SessionLost(f"{self.session.id} is over")

    async def release(self):
        for _ in range(100):
            try:
                return await self.leave() and None
            except TransportError:
                continue
