# An AsyncExitStack collects what is to be undone, watches and places, and undoes it however the wait ends.
from contextlib import AsyncExitStack

from leasehold import SessionLost, TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._undo = None  # of the place that is the lock

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._insist, self._remove_own, 30)
            while True:
                try:
                    line = await self._line()
                    index = self._index(line)
                    if index == 0:
                        self._undo = stack.pop_all()
                        return line[0].number
                    if self._clock() < deadline:
                        await self._wait(line[index - 1].number, line[index].number, deadline)
                except TransportError:
                    pass
                except SessionLost:
                    stack.pop_all()  # its places are gone
                    raise
                if self._clock() >= deadline:
                    return None

    async def _line(self):
        line = await self._service.places(self._name)
        while self._index(line) is None:
            await self._service.append(self._name, self._session)
            line = await self._service.places(self._name)
        return line

    def _index(self, line):
        return next((i for i, place in enumerate(line) if place.session == self._session.id), None)

    async def _wait(self, before, own, deadline):
        async with AsyncExitStack() as watches:
            watch = await self._service.watch(before, own)
            watches.callback(lambda: spawn(self._insist(watch.close, 900)))
            left = deadline - self._clock()
            if not watch.gone and left > 0 and await watch.fired(min(10, left)):
                watches.pop_all()

    async def _insist(self, action, seconds):
        until = self._clock() + seconds
        while True:
            try:
                return await action()
            except TransportError:
                if self._clock() > until:
                    return None

    async def _remove_own(self):
        own = [p.number async for p in self._places() if p.session == self._session.id]
        for number in own:
            await self._service.remove(number)

    async def _places(self):
        for place in await self._service.places(self._name):
            yield place

    async def release(self):
        if self._undo is not None:
            undo, self._undo = self._undo, None
            await undo.aclose()
