# One loop that starts from the top each time: read the queue, find oneself, decide, watch the one before and oneself.
from leasehold import TransportError, spawn


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
                self._number = await self._look_and_wait(deadline)
            except TransportError:
                pass
            if self._number is not None:
                return self._number
            if self._clock() >= deadline:
                await self._leave()
                return None

    async def _look_and_wait(self, deadline):
        """The number if it is the first. Otherwise None, after a reason to look again."""
        places = await self._service.places(self._name)
        mine = self._mine(places)
        if not mine:
            await self._service.append(self._name, self._session)
            places = await self._service.places(self._name)
            mine = self._mine(places)
            if not mine:
                return None
        for number in mine[1:]:
            await self._service.remove(number)
        if places[0].number == mine[0]:
            return mine[0]
        before = max(place.number for place in places if place.number < mine[0])
        if self._clock() < deadline:
            watch = await self._service.watch(before, mine[0])
            fired = False
            try:
                left = deadline - self._clock()
                if not watch.gone and left > 0:
                    fired = await watch.fired(min(10, left))
            finally:
                if not fired:
                    spawn(self._close(watch))
        return None

    def _mine(self, places):
        return [place.number for place in places if place.session == self._session.id]

    async def _close(self, watch):
        for _ in range(100):
            try:
                return await watch.close()
            except TransportError:
                pass

    async def _leave(self):
        until = self._clock() + 30
        while True:
            try:
                for number in self._mine(await self._service.places(self._name)):
                    await self._service.remove(number)
                return
            except TransportError:
                if self._clock() > until:
                    return

    async def release(self):
        if self._number is not None:
            await self._leave()
            self._number = None
