# Two watches, each with a task of its own that sets one signal; cleaning up is done in tasks of their own, too.
from leasehold import SessionLost, Signal, TransportError, spawn


class Bell:
    """Rings when any of its watches fires."""

    def __init__(self, service):
        self.service = service
        self.signal = Signal()
        self.watches = []

    async def hang(self, number):
        """False if there is nothing left to wait for."""
        watch = await self.service.watch(number)
        self.watches.append(watch)
        if watch.gone:
            return False
        spawn(self.listen(watch))
        return True

    async def listen(self, watch):
        while not self.signal.is_set():
            if await watch.fired(5):
                self.signal.set()

    def take_down(self):
        self.signal.set()
        for watch in self.watches:
            spawn(keep_trying(watch.close))


async def keep_trying(call, *args):
    while True:
        try:
            return await call(*args)
        except TransportError:
            pass


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.leaving = None

    async def places(self):
        everyone = await self.service.places(self.name)
        own = [p.number for p in everyone if p.session == self.session.id]
        return [p.number for p in everyone], own

    async def acquire(self, wait_s):
        end = self.clock() + wait_s
        if self.leaving is not None:
            await self.leaving
        return await self.stand_in_line(end)

    async def stand_in_line(self, end):
        in_line = False
        while True:
            try:
                everyone, own = await self.places()
                if not own:
                    if in_line:
                        raise SessionLost(self.session.id)
                    await self.service.append(self.name, self.session)
                    in_line = True
                    continue
                in_line = True
                if own[0] == everyone[0]:
                    return own[0]
                if self.clock() < end:
                    bell = Bell(self.service)
                    try:
                        if await bell.hang(own[0]) and await bell.hang(everyone[everyone.index(own[0]) - 1]):
                            await bell.signal.wait(min(end - self.clock(), 9))
                    finally:
                        bell.take_down()
                    continue
            except TransportError:
                pass
            if self.clock() >= end:
                self.leaving = spawn(self.leave())
                return None

    async def leave(self):
        _, own = await keep_trying(self.places)
        for number in own:
            await keep_trying(self.service.remove, number)

    async def release(self):
        await self.leave()
