# A state machine: small frozen states go through one match statement, and each step gives the next state.
from dataclasses import dataclass

from leasehold import TransportError, Watch, spawn


@dataclass(frozen=True)
class Outside:
    pass


@dataclass(frozen=True)
class Unsure:
    """An append() was not answered, or something has changed."""


@dataclass(frozen=True)
class Behind:
    own: int
    before: int


@dataclass(frozen=True)
class Watching:
    own: int
    watch: Watch


@dataclass(frozen=True)
class First:
    own: int


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._state = Outside()

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        self._state = Unsure()
        steps = 0
        while not isinstance(self._state, First):
            # Even without a budget: a place, and a look at the queue.
            if self._clock() >= deadline and (steps >= 2 or not isinstance(self._state, (Unsure, Outside))):
                break
            steps += isinstance(self._state, (Unsure, Outside))
            try:
                self._state = await self._step(self._state, deadline)
            except TransportError:
                self._state = Unsure()
        match self._state:
            case First(own):
                return own
            case Watching(_, watch):
                spawn(self._close(watch))
        await self._remove_mine()
        self._state = Outside()
        return None

    async def _step(self, state, deadline):
        match state:
            case Outside():
                await self._service.append(self._name, self._session)
                return Unsure() if self._clock() < deadline else await self._look()
            case Unsure():
                return await self._look()
            case Behind(own, before):
                return Watching(own, await self._service.watch(own, before))
            case Watching(own, watch):
                if watch.gone or not await watch.fired(min(10, deadline - self._clock())):
                    spawn(self._close(watch))
                return Unsure()

    async def _look(self):
        match [(p.number, p.session == self._session.id) for p in await self._service.places(self._name)]:
            case [(number, True), *_]:
                return First(number)
            case line:
                for (before, _), (number, is_mine) in zip(line, line[1:]):
                    if is_mine:
                        return Behind(number, before)
                return Outside()

    async def _close(self, watch):
        until = self._clock() + 300
        while self._clock() < until:
            try:
                await watch.close()
                break
            except TransportError:
                pass

    async def _remove_mine(self):
        until = self._clock() + 35
        while True:
            try:
                for place in await self._service.places(self._name):
                    if place.session == self._session.id:
                        await self._service.remove(place.number)
                break
            except TransportError:
                if self._clock() >= until:
                    break

    async def release(self):
        match self._state:
            case First():
                await self._remove_mine()
                self._state = Outside()
