# A pure function looks at an immutable snapshot of the line and says what to do; the lock only does it.
from typing import NamedTuple

from leasehold import TransportError, spawn


class Line(NamedTuple):
    numbers: tuple
    own: tuple

    @classmethod
    def of(cls, places, session):
        return cls(tuple(p.number for p in places), tuple(p.number for p in places if p.session == session.id))


class Enter(NamedTuple):
    pass


class Hold(NamedTuple):
    number: int


class Drop(NamedTuple):
    numbers: tuple


class Watch(NamedTuple):
    numbers: tuple


def plan(line):
    if not line.own:
        return Enter()
    if len(line.own) > 1 and line.numbers[0] != line.own[0]:
        return Drop(line.own[1:])
    if line.numbers[0] == line.own[0]:
        return Hold(line.own[0])
    at = line.numbers.index(line.own[0])
    return Watch(line.numbers[at - 1 : at + 1])


class QueueLock:
    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._holds = None

    async def _line(self):
        return Line.of(await self._service.places(self._name), self._session)

    async def acquire(self, wait_s):
        deadline = self._clock() + wait_s
        todo = None
        while self._clock() < deadline or not isinstance(todo, (Hold, Watch, Drop)):
            try:
                todo = plan(await self._line())
                if isinstance(todo, Hold):
                    self._holds = todo
                    return todo.number
                await self._do(todo, deadline)
            except TransportError:
                if self._clock() >= deadline:
                    break
        await self._leave()
        return None

    async def _do(self, todo, deadline):
        if isinstance(todo, Enter):
            await self._service.append(self._name, self._session)
        elif isinstance(todo, Drop):
            for number in todo.numbers:
                await self._service.remove(number)
        elif self._clock() < deadline:
            watch = await self._service.watch(*todo.numbers)
            left = deadline - self._clock()
            if watch.gone or left <= 0 or not await watch.fired(min(10.0, left)):
                spawn(self._until_answered(watch.close, 600))

    async def _until_answered(self, call, seconds):
        until = self._clock() + seconds
        while True:
            try:
                await call()
                return True
            except TransportError:
                if self._clock() > until:
                    return False

    async def _remove_all(self):
        for number in (await self._line()).own:
            await self._service.remove(number)

    async def _leave(self):
        await self._until_answered(self._remove_all, 30)
        self._holds = None

    async def release(self):
        if self._holds:
            await self._leave()
