# It keeps a book of the numbers that are its own, removes by number, and reads the queue for strays only after an unanswered append().
from leasehold import SessionLost, TransportError, spawn


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._own = []  # numbers, the first in line first
        self._doubt = False  # an append() was not answered since the last look
        self._has_lock = False

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        while True:
            try:
                if not self._own and not self._doubt:
                    await self._append()
                line = await self._look()
                if self._own and line[0] == self._own[0]:
                    self._has_lock = True
                    return self._own[0]
                if self._own and self._clock() < deadline:
                    await self._wait(line[line.index(self._own[0]) - 1], deadline)
            except TransportError:
                pass
            except SessionLost:
                self._own.clear()
                self._doubt = False
                raise
            if self._clock() >= deadline:
                await self._remove_own()
                return None

    async def _append(self):
        self._doubt = True
        self._own.append(await self._service.append(self._name, self._session))
        self._doubt = False

    async def _look(self):
        places = await self._service.places(self._name)
        self._own = [p.number for p in places if p.session == self._session.id]
        self._doubt = False
        return [p.number for p in places]

    async def _wait(self, before, deadline):
        watch = await self._service.watch(self._own[0], before)
        try:
            left = deadline - self._clock()
            if watch.gone or left <= 0 or not await watch.fired(min(left, 10)):
                await self._close(watch, 1)
                watch = None
        except TransportError:
            # Waiting for the close would cost too much: somebody else does it.
            spawn(self._close(watch, 500))

    async def _close(self, watch, attempts):
        for attempt in range(attempts):
            try:
                return await watch.close()
            except TransportError:
                if attempts == 1:
                    raise

    async def _remove_own(self):
        until = self._clock() + 30
        while self._own or self._doubt:
            try:
                if self._doubt:
                    await self._look()
                if self._own:
                    await self._service.remove(self._own[0])
                    del self._own[0]
            except TransportError:
                if self._clock() > until:
                    return

    async def release(self):
        if self._has_lock:
            self._has_lock = False
            await self._remove_own()
