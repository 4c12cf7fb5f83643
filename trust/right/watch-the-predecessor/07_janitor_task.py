# Whoever gives up leaves the cleaning to a janitor task and returns at once; the next acquire() waits for the janitor.
from collections import deque

from leasehold import TransportError, spawn


class Janitor:
    """Does jobs one after the other, each until it is answered or old."""

    def __init__(self, clock):
        self.clock = clock
        self.jobs = deque()
        self.task = None

    def add(self, function, *args):
        self.jobs.append((self.clock(), function, args))
        if self.task is None or self.task.done():
            self.task = spawn(self.work())

    async def work(self):
        while self.jobs:
            since, function, args = self.jobs[0]
            try:
                await function(*args)
            except TransportError:
                if self.clock() - since < 60:
                    continue
            self.jobs.popleft()

    async def idle(self):
        while self.jobs:
            await self.task


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.places_janitor = Janitor(clock)
        self.watches_janitor = Janitor(clock)

    async def acquire(self, wait_s):
        deadline = self.clock() + wait_s
        await self.places_janitor.idle()
        looked = False
        while not looked or self.clock() < deadline:
            looked = True
            try:
                line = await self.service.places(self.name)
                if not self.own(line):
                    await self.service.append(self.name, self.session)
                    line = await self.service.places(self.name)
                mine = self.own(line)
                if mine and line[0].session == self.session.id:
                    return mine[0]
                if mine:
                    await self.wait(line, mine[0], deadline)
            except TransportError:
                pass
        self.places_janitor.add(self.remove_own)
        return None

    def own(self, line):
        return [place.number for place in line if place.session == self.session.id]

    async def wait(self, line, number, deadline):
        if self.clock() >= deadline:
            return
        before = [place.number for place in line if place.number < number][-1]
        watch = await self.service.watch(before, number)
        left = deadline - self.clock()
        if watch.gone or left <= 0 or not await watch.fired(min(left, 10)):
            self.watches_janitor.add(watch.close)

    async def remove_own(self):
        for number in self.own(await self.service.places(self.name)):
            await self.service.remove(number)

    async def release(self):
        self.places_janitor.add(self.remove_own)
        await self.places_janitor.idle()
