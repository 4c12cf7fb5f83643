# The watch on the own place lasts for the whole wait, those on predecessors come and go; a place that vanished is a session lost.
from leasehold import SessionLost, Signal, TransportError, spawn


class QueueLock:
    __slots__ = ("_service", "_clock", "_session", "_name", "_number")

    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._number = None

    async def acquire(self, wait_s):
        wait = _Wait(self._service, self._clock, self._session, self._name, self._clock() + wait_s)
        try:
            self._number = await wait.result()
        finally:
            wait.close()
        if self._number is None:
            await self._remove()
        return self._number

    async def _remove(self):
        until = self._clock() + 30
        while True:
            try:
                for place in await self._service.places(self._name):
                    if place.session == self._session.id:
                        await self._service.remove(place.number)
                return
            except TransportError:
                if self._clock() > until:
                    return

    async def release(self):
        if self._number is not None:
            await self._remove()
            self._number = None


class _Wait:
    def __init__(self, service, clock, session, name, deadline):
        self.service, self.clock, self.session, self.name, self.deadline = service, clock, session, name, deadline
        self.number = None
        self.own_watch = None
        self.own_task = None
        self.woken = Signal()

    def left(self):
        return self.deadline - self.clock()

    async def result(self):
        while True:
            try:
                before = await self.predecessor()
                if before is None:
                    return self.number
                if self.left() > 0:
                    await self.wait_for(before)
            except TransportError:
                pass
            if self.left() <= 0:
                return None

    async def predecessor(self):
        if self.number is None:
            line = await self.service.places(self.name)
            if all(place.session != self.session.id for place in line):
                self.number = await self.service.append(self.name, self.session)
        before = None
        for place in await self.service.places(self.name):
            if place.session == self.session.id:
                self.number = place.number
                return before
            before = place.number
        if self.number is not None:
            raise SessionLost(f"place {self.number} is gone")
        raise TransportError("no place yet")

    async def wait_for(self, before):
        if self.own_watch is None:
            self.own_watch = await self.service.watch(self.number)
            if self.own_watch.gone:
                return
            self.own_task = spawn(self.listen(self.own_watch))
        watch = await self.service.watch(before)
        task = spawn(self.listen(watch))
        told = not watch.gone and await self.woken.wait(max(0, min(self.left(), 10)))
        task.cancel()
        self.woken = Signal()
        spawn(self.drop(watch))
        if not told:
            # Perhaps the service has forgotten its watches. A new one is cheap.
            self.close()

    async def listen(self, watch):
        if await watch.fired(60):
            self.woken.set()

    def close(self):
        if self.own_watch is not None:
            spawn(self.drop(self.own_watch))
            self.own_watch = None
        if self.own_task is not None:
            self.own_task.cancel()
            self.own_task = None

    async def drop(self, watch):
        while True:
            try:
                return await watch.close()
            except TransportError:
                pass
