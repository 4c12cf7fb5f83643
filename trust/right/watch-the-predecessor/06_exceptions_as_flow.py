# What a look finds is raised: First ends the wait with the number, TimeOver with None, LookAgain begins anew.
from leasehold import Cancelled, TransportError, spawn


class First(Exception):
    pass


class LookAgain(Exception):
    pass


class TimeOver(Exception):
    pass


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._held = None

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        try:
            while True:
                try:
                    await self._once(deadline)
                except (LookAgain, TransportError):
                    self._rest(deadline)
        except First as first:
            (self._held,) = first.args
            return self._held
        except TimeOver:
            await self._leave()
            return None
        except Cancelled:
            spawn(self._leave())
            raise

    def _rest(self, deadline):
        left = deadline - self._clock()
        if left <= 0:
            raise TimeOver
        return left

    async def _once(self, deadline):
        line = await self._service.places(self._name)
        own = self._own(line)
        if not own:
            await self._service.append(self._name, self._session)
            line = await self._service.places(self._name)
            own = self._own(line)
        if not own:
            raise LookAgain
        if line[0] is own[0]:
            raise First(own[0].number)
        self._rest(deadline)
        # The one before, and all of our own: with luck there is just one.
        watch = await self._service.watch(line[line.index(own[0]) - 1].number, *(place.number for place in own))
        try:
            if watch.gone:
                raise LookAgain
            if not await watch.fired(min(10, self._rest(deadline))):
                raise LookAgain
            watch = None
        finally:
            if watch is not None:
                spawn(self._close(watch))

    def _own(self, line):
        return [place for place in line if place.session == self._session.id]

    async def _close(self, watch):
        try:
            await self._insist(watch.close, seconds=3600)
        except TransportError:
            pass

    async def _insist(self, call, *args, seconds=30):
        """Call until there is an answer, for half a minute if nothing else is said."""
        until = self._clock() + seconds
        while True:
            try:
                return await call(*args)
            except TransportError:
                if self._clock() > until:
                    raise

    async def _leave(self):
        try:
            for place in self._own(await self._insist(self._service.places, self._name)):
                await self._insist(self._service.remove, place.number)
        except TransportError:
            pass

    async def release(self):
        if self._held is not None:
            await self._leave()
            self._held = None
