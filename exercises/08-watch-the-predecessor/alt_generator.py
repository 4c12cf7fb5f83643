# An async generator of looks at the queue, which acquire() reads until one of them is final; a watch is an async context.
import leasehold


class Watching:
    def __init__(self, service, *numbers):
        self.service = service
        self.numbers = numbers
        self.spent = False

    async def __aenter__(self):
        self.watch = await self.service.watch(*self.numbers)
        return self

    async def wait(self, seconds):
        if not self.watch.gone:
            self.spent = await self.watch.fired(seconds)

    async def __aexit__(self, *exception):
        for _ in range(0 if self.spent else 40):
            try:
                await self.watch.close()
                break
            except leasehold.TransportError:
                pass


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name

    async def acquire(self, wait_s):
        end = self.clock() + wait_s
        async for number, before in self.looks(end):
            if before is None:
                return number
            if self.clock() >= end:
                break
        await self.release()
        return None

    async def looks(self, end):
        number = None
        perhaps = False
        while True:
            try:
                if not perhaps:
                    perhaps = True
                    number = await self.service.append(self.name, self.session)
                queue = await self.service.places(self.name)
                mine = next((place.number for place in queue if place.session == self.session.id), None)
                if mine is None:
                    if number is not None:
                        raise leasehold.SessionLost(self.session.id)
                    perhaps = False
                    continue
                number = mine
                before = max((place.number for place in queue if place.number < mine), default=None)
                yield number, before
                async with Watching(self.service, before, number) as watching:
                    await watching.wait(max(0, min(10, end - self.clock())))
            except leasehold.TransportError:
                if self.clock() >= end:
                    return

    async def release(self):
        for _ in range(60):
            try:
                for place in await self.service.places(self.name):
                    if place.session == self.session.id:
                        await self.service.remove(place.number)
                return
            except leasehold.TransportError:
                pass
