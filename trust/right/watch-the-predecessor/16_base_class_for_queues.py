# A base class knows the queue and persistence, the lock knows the rules; it leaves in the background and takes over what is left.
import bisect

from leasehold import TransportError, spawn


class Queued:
    """One session's view of one queue."""

    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.numbers = []
        self.own = []

    async def refresh(self):
        places = await self.service.places(self.name)
        self.numbers = [place.number for place in places]
        self.own = [place.number for place in places if place.session == self.session.id]

    async def enter(self):
        await self.refresh()
        if not self.own:
            await self.service.append(self.name, self.session)
            await self.refresh()

    async def remove_all(self):
        await self.refresh()
        for number in self.own:
            await self.service.remove(number)

    async def persist(self, action, seconds=30):
        end = self.clock() + seconds
        while True:
            try:
                return await action()
            except TransportError:
                if self.clock() > end:
                    return None


class QueueLock(Queued):
    def __init__(self, service, clock, session, name):
        super().__init__(service, clock, session, name)
        self.locked = False
        self.leaving = None

    async def acquire(self, wait_s):
        deadline = self.clock() + wait_s
        if self.leaving is not None:
            # What could not be removed so far is ours: no need to remove it now.
            self.leaving.cancel()
            self.leaving = None
        try:
            while True:
                try:
                    await self.enter()
                    if self.own and self.own[0] == self.numbers[0]:
                        self.locked = True
                        return self.own[0]
                    if self.own:
                        await self.told(deadline - self.clock())
                except TransportError:
                    pass
                if self.clock() >= deadline - 0.05:
                    return None
        finally:
            if not self.locked:
                self.leaving = spawn(self.persist(self.remove_all, 60))

    async def told(self, left):
        if left <= 0:
            return
        index = bisect.bisect_left(self.numbers, self.own[0])
        watch = await self.service.watch(self.own[0], self.numbers[index - 1])
        if watch.gone or not await watch.fired(min(left, 10)):
            spawn(self.persist(watch.close, 500))

    async def release(self):
        if self.locked:
            await self.persist(self.remove_all)
            self.locked = False
