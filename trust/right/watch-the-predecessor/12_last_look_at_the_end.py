# When the time is over it looks once more before it leaves, because it may have come to be the first in that moment.
import random

from leasehold import TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._number = None

    async def acquire(self, wait_s):
        until = self._clock() + wait_s
        last = False
        while True:
            last = self._clock() >= until
            try:
                number, before = await self._stand()
                if before is None:
                    self._number = number
                    return number
                if not last:
                    await self._be_told(before, number, until)
            except TransportError:
                pass
            if last:
                await self._remove()
                return None

    async def _stand(self):
        while True:
            before = None
            for place in await self._service.places(self._name):
                if place.session == self._session.id:
                    return place.number, before
                before = place.number
            await self._service.append(self._name, self._session)

    async def _be_told(self, before, number, until):
        watch = await self._service.watch(number, before)
        net = random.uniform(6, 10)
        if watch.gone or not await watch.fired(max(0, min(net, until - self._clock()))):
            spawn(self._close(watch))

    async def _close(self, watch):
        for _ in range(500):
            try:
                await watch.close()
            except TransportError:
                continue
            break

    async def _remove(self):
        end = self._clock() + 30
        while True:
            try:
                for place in await self._service.places(self._name):
                    if place.session == self._session.id:
                        await self._service.remove(place.number)
                break
            except TransportError:
                if self._clock() > end:
                    break

    async def release(self):
        if self._number is not None:
            await self._remove()
            self._number = None
