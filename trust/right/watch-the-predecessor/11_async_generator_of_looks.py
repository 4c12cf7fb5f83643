# An async generator yields the line whenever there is a reason to look; acquire() only reads what comes out of it.
from contextlib import aclosing

from leasehold import TransportError, spawn


class QueueLock:
    NET = 10

    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._holding = False

    async def acquire(self, wait_s):
        async with aclosing(self._looks(self._clock() + wait_s)) as looks:
            async for first, mine in looks:
                if first == mine:
                    self._holding = True
                    return mine
        await self._leave()
        return None

    async def _looks(self, deadline):
        """Pairs: the first number of the line and the own one. Ends when the time is over."""
        while True:
            try:
                index, numbers = await self._find()
                yield numbers[0], numbers[index]
                if self._clock() < deadline:
                    await self._wait(numbers[index - 1], numbers[index], deadline)
            except TransportError:
                pass
            if self._clock() >= deadline:
                return

    async def _find(self):
        places = await self._service.places(self._name)
        while not any(p.session == self._session.id for p in places):
            await self._service.append(self._name, self._session)
            places = await self._service.places(self._name)
        sessions = [p.session for p in places]
        return sessions.index(self._session.id), [p.number for p in places]

    async def _wait(self, before, mine, deadline):
        watch = await self._service.watch(before, mine)
        open = True
        try:
            left = deadline - self._clock()
            if not watch.gone and left > 0:
                open = not await watch.fired(min(self.NET, left))
        finally:
            if open:
                spawn(self._forget(watch))

    async def _forget(self, watch):
        while True:
            try:
                return await watch.close()
            except TransportError:
                continue

    async def _leave(self):
        until = self._clock() + 30
        while True:
            try:
                for place in await self._service.places(self._name):
                    if place.session == self._session.id:
                        await self._service.remove(place.number)
                return
            except TransportError:
                if self._clock() >= until:
                    return

    async def release(self):
        if self._holding:
            await self._leave()
        self._holding = False
