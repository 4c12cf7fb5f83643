# A decorator repeats a call while nobody answers, and a context manager makes sure that no watch is left.
import functools
from contextlib import asynccontextmanager

from leasehold import SessionLost, TransportError, spawn


class NoAnswer(Exception):
    """Not for as long as we were ready to wait."""


def persistent(method):
    @functools.wraps(method)
    async def wrapper(self, until, *args):
        while True:
            try:
                return await method(self, *args)
            except TransportError:
                if self.clock() >= until:
                    raise NoAnswer from None

    return wrapper


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        self.number = None

    @persistent
    async def line(self):
        return [(p.number, p.session == self.session.id) for p in await self.service.places(self.name)]

    @persistent
    async def ensure_place(self):
        """The line, with a place of ours in it."""
        while True:
            line = [(p.number, p.session == self.session.id) for p in await self.service.places(self.name)]
            if any(own for _, own in line):
                return line
            await self.service.append(self.name, self.session)

    @persistent
    async def remove(self, number):
        await self.service.remove(number)

    @persistent
    async def close(self, watch):
        await watch.close()

    @asynccontextmanager
    async def watching(self, *numbers):
        watch = await self.service.watch(*numbers)
        try:
            yield watch
        finally:
            spawn(self.close_quietly(watch))

    async def close_quietly(self, watch):
        try:
            await self.close(self.clock() + 500, watch)
        except NoAnswer:
            pass

    async def acquire(self, wait_s):
        deadline = self.clock() + wait_s
        try:
            while True:
                line = await self.ensure_place(deadline)
                place = [own for _, own in line].index(True)
                if place == 0:
                    self.number = line[0][0]
                    return self.number
                if self.clock() >= deadline:
                    break
                try:
                    async with self.watching(line[place][0], line[place - 1][0]) as watch:
                        left = deadline - self.clock()
                        if left > 0 and not watch.gone:
                            await watch.fired(min(left, 10))
                except TransportError:
                    pass
                if self.clock() >= deadline:
                    break
        except NoAnswer:
            pass
        except SessionLost:
            self.number = None
            raise
        await self.leave()
        return None

    async def leave(self):
        until = self.clock() + 31
        try:
            for number, own in await self.line(until):
                if own:
                    await self.remove(until, number)
        except NoAnswer:
            pass

    async def release(self):
        if self.number is not None:
            self.number = None
            await self.leave()
