# killed-by: a_lost_request_is_made_again
# bug: After a lost message it rests before it asks again: the lock is free meanwhile, and whoever stands behind waits too.
from leasehold import SessionLost, TransportError

LONGEST_WAIT = 10.0


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        asked = False       # for a place: perhaps there is one
        mine = None         # its number
        watch = None        # the one that may still be with the service
        try:
            while True:
                try:
                    if not asked:
                        asked = True
                        mine = await self._service.append(self._name, self._session)
                    line = await self._service.places(self._name)
                    own = [place.number for place in line if place.session == self._session.id]
                    if own:
                        mine = own[0]
                    elif mine is not None:
                        raise SessionLost("the place is gone, and the session with it")
                    else:
                        asked = False       # the request never arrived
                        continue
                    before = [place.number for place in line if place.number < mine]
                    if not before:
                        return mine
                    left = deadline - self._clock()
                    if left <= 0:
                        await self._leave()
                        return None
                    if watch is not None:
                        await watch.close()
                    watch = await self._service.watch(before[-1], mine)
                    if watch.gone:
                        continue
                    if await watch.fired(min(left, LONGEST_WAIT)):
                        watch = None
                except TransportError:
                    if self._clock() >= deadline:
                        await self._leave()
                        return None
                    await self._clock.sleep(1.5)
        finally:
            if watch is not None:
                await self._surely(watch.close)

    async def release(self):
        await self._leave()

    async def _leave(self):
        """Takes out whatever this session has in the queue: an answer about it may have been lost."""
        for place in await self._surely(self._service.places, self._name) or []:
            if place.session == self._session.id:
                await self._surely(self._service.remove, place.number)

    async def _surely(self, call, *args):
        for _ in range(60):
            try:
                return await call(*args)
            except TransportError:
                pass
