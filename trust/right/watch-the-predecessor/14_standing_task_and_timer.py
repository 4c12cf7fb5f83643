# A task stands in line and knows no time; acquire() waits for its Signal with a timeout and then sends it away.
from leasehold import Signal, TransportError, spawn


class Stander:
    def __init__(self, lock):
        self.lock = lock
        self.looked = Signal()  # one look was made, or tried
        self.ended = Signal()
        self.idle = False
        self.leaving = False
        self.number = None
        self.error = None
        self.watch = None
        self.task = spawn(self.run())

    async def run(self):
        try:
            while self.number is None and not self.leaving:
                try:
                    await self.stand()
                except TransportError:
                    pass
                self.looked.set()
        except Exception as error:
            self.error = error
        finally:
            if self.watch is not None:
                spawn(self.lock.close(self.watch))
            self.looked.set()
            self.ended.set()

    async def stand(self):
        service = self.lock.service
        line = await service.places(self.lock.name)
        own = self.lock.own(line)
        if not own:
            await service.append(self.lock.name, self.lock.session)
            line = await service.places(self.lock.name)
            own = self.lock.own(line)
            if not own:
                return
        if line[0].number == own[0]:
            self.number = own[0]
            return
        self.looked.set()
        if self.leaving:
            return
        self.watch = await service.watch(own[0], max(p.number for p in line if p.number < own[0]))
        if not self.leaving and not self.watch.gone:
            self.idle = True
            fired = await self.watch.fired(10)
            self.idle = False
            if fired:
                self.watch = None
        if self.watch is not None:
            watch, self.watch = self.watch, None
            spawn(self.lock.close(watch))

    async def send_away(self):
        self.leaving = True
        if self.idle:
            self.task.cancel()
        await self.ended.wait()


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.held = False

    def own(self, line):
        return [p.number for p in line if p.session == self.session.id]

    async def acquire(self, wait_s):
        stander = Stander(self)
        await stander.ended.wait(wait_s)
        await stander.looked.wait()
        if not stander.ended.is_set():
            await stander.send_away()
        if stander.error is not None:
            raise stander.error
        if stander.number is None:
            await self.leave()
        else:
            self.held = True
        return stander.number

    async def close(self, watch):
        while True:
            try:
                return await watch.close()
            except TransportError:
                pass

    async def leave(self):
        start = self.clock()
        while self.clock() - start <= 30:
            try:
                for number in self.own(await self.service.places(self.name)):
                    await self.service.remove(number)
                return
            except TransportError:
                continue

    async def release(self):
        if self.held:
            self.held = False
            await self.leave()
