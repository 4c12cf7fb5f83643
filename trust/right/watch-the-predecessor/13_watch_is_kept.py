# A watch is kept as long as it is on the right places, also over the looks of the safety net, and closed only when it is not.
from dataclasses import dataclass

from leasehold import TransportError, Watch, spawn


@dataclass
class Watched:
    pair: tuple
    watch: Watch


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service, self.clock, self.session, self.name = service, clock, session, name
        self.watched = None
        self.number = None

    async def acquire(self, wait_s):
        deadline = self.clock() + wait_s
        try:
            while True:
                try:
                    pair = await self.neighbours()
                    if pair[0] is None:
                        self.number = pair[1]
                        return self.number
                    if self.clock() < deadline:
                        await self.wait(pair, deadline)
                except TransportError:
                    pass
                if self.clock() >= deadline:
                    break
        finally:
            self.forget()
        await self.take_out()
        return None

    async def neighbours(self):
        """The number before the own one, or None; and the own one."""
        while True:
            places = await self.service.places(self.name)
            for before, place in zip([None, *places], places):
                if place.session == self.session.id:
                    return before and before.number, place.number
            await self.service.append(self.name, self.session)

    async def wait(self, pair, deadline):
        if self.watched is None or self.watched.pair != pair:
            self.forget()
            self.watched = Watched(pair, await self.service.watch(*pair))
            if self.watched.watch.gone:
                return self.forget()
        left = deadline - self.clock()
        if left > 0 and await self.watched.watch.fired(min(10, left)):
            self.watched = None

    def forget(self):
        if self.watched is not None:
            spawn(self.close(self.watched.watch))
            self.watched = None

    async def close(self, watch):
        end = self.clock() + 300
        while self.clock() < end:
            try:
                return await watch.close()
            except TransportError:
                pass

    async def take_out(self):
        end = self.clock() + 30
        while True:
            try:
                for place in await self.service.places(self.name):
                    if place.session == self.session.id:
                        await self.service.remove(place.number)
                return
            except TransportError:
                if self.clock() > end:
                    return

    async def release(self):
        if self.number is not None:
            await self.take_out()
            self.number = None
