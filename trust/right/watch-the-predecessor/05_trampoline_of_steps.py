# Each step is a method that returns the next step; a loop calls them, and a TransportError leads back to the first.
from leasehold import TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.number = None

    async def acquire(self, wait_s):
        self.deadline = self.clock() + wait_s
        self.watch = None
        self.result = None
        step = self.take_a_place
        while step is not None:
            try:
                step = await step()
            except TransportError:
                step = self.take_stock if self.left() > 0 else self.go
        return self.result

    def left(self):
        return self.deadline - self.clock()

    async def take_a_place(self):
        await self.service.append(self.name, self.session)
        return self.take_stock

    async def take_stock(self):
        places = await self.service.places(self.name)
        own = [i for i, place in enumerate(places) if place.session == self.session.id]
        if not own:
            return self.take_a_place if self.left() > 0 else self.go
        if own[0] == 0:
            self.number = self.result = places[0].number
            return None
        self.pair = [places[own[0]].number, places[own[0] - 1].number]
        return self.set_watch if self.left() > 0 else self.go

    async def set_watch(self):
        self.watch = await self.service.watch(*self.pair)
        return self.wait if not self.watch.gone else self.drop_watch

    async def wait(self):
        left = self.left()
        if left > 0 and await self.watch.fired(min(left, 9.5)):
            return self.take_stock
        return self.drop_watch

    async def drop_watch(self):
        spawn(self.close(self.watch))
        return self.take_stock if self.left() > 0 else self.go

    async def close(self, watch):
        answered = False
        while not answered:
            try:
                await watch.close()
                answered = True
            except TransportError:
                pass

    async def go(self):
        await self.clean_up()
        return None

    async def clean_up(self):
        begun = self.clock()
        numbers = None
        while numbers is None or numbers:
            try:
                if numbers is None:
                    places = await self.service.places(self.name)
                    numbers = [place.number for place in places if place.session == self.session.id]
                else:
                    await self.service.remove(numbers[-1])
                    numbers.pop()
            except TransportError:
                if self.clock() > begun + 30:
                    return

    async def release(self):
        if self.number is None:
            return
        self.number = None
        await self.clean_up()
