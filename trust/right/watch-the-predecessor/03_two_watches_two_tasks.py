# One watch on the own place and one on the predecessor, each waited for by a task of its own; a Signal wakes the loop.
from leasehold import Signal, TransportError, spawn


class Guard:
    """A watch and the task that waits for it."""

    def __init__(self, watch, woken):
        self.watch = watch
        self.woken = woken
        self.has_fired = False
        self.task = spawn(self.wait())

    async def wait(self):
        self.has_fired = self.watch.gone or await self.watch.fired(12)
        if self.has_fired:
            self.woken.set()

    def drop(self):
        self.task.cancel()
        if not self.has_fired or self.watch.gone:
            spawn(self.close())

    async def close(self):
        for attempt in range(200):
            try:
                await self.watch.close()
            except TransportError:
                continue
            return


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._number = None

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        while True:
            try:
                numbers, mine = await self._stand()
                if mine is not None and numbers[0] == mine:
                    self._number = mine
                    return mine
                if mine is not None and self._clock() < deadline:
                    await self._wait(numbers[numbers.index(mine) - 1], mine, deadline)
            except TransportError:
                pass
            if self._clock() >= deadline:
                await self._leave()
                return None

    async def _stand(self):
        """All numbers in line, and the own one, for which a place is taken if need be."""
        for may_append in (True, False):
            places = await self._service.places(self._name)
            mine = [p.number for p in places if p.session == self._session.id]
            if mine or not may_append:
                break
            await self._service.append(self._name, self._session)
        for number in mine[1:]:
            await self._service.remove(number)
        return [p.number for p in places], mine[0] if mine else None

    async def _wait(self, before, mine, deadline):
        woken = Signal()
        guards = []
        try:
            for number in (mine, before):
                guards.append(Guard(await self._service.watch(number), woken))
            await woken.wait(max(0, min(10, deadline - self._clock())))
        finally:
            for guard in guards:
                guard.drop()

    async def _leave(self):
        until = self._clock() + 30
        done = False
        while not done and self._clock() < until:
            try:
                places = await self._service.places(self._name)
                for place in places:
                    if place.session == self._session.id:
                        await self._service.remove(place.number)
                done = True
            except TransportError:
                pass

    async def release(self):
        if self._number is not None:
            self._number = None
            await self._leave()
