# After a lost answer to append: takes out whatever there is of this session, and queues anew. One ticket, kept in the object.
import leasehold as lh


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service, self.clock, self.session, self.name = service, clock, session, name
        self.ticket = None

    async def acquire(self, wait_s):
        self.until = self.clock() + wait_s
        if not await self.take_ticket():
            return None
        while True:
            try:
                turn = await self.is_my_turn()
            except lh.TransportError:
                turn = False
            if turn:
                return self.ticket
            if self.clock() >= self.until:
                await self.release()
                return None

    async def take_ticket(self):
        self.ticket, clean = None, True
        while self.ticket is None:
            try:
                if not clean:
                    for place in await self.service.places(self.name):
                        if place.session == self.session.id:
                            await self.service.remove(place.number)
                    clean = True
                    if self.clock() >= self.until:
                        return False
                clean = False
                self.ticket = await self.service.append(self.name, self.session)
            except lh.TransportError:
                continue
        return True

    async def is_my_turn(self):
        """Looks; if it is not, waits until there is reason to look again."""
        numbers = [place.number for place in await self.service.places(self.name)]
        if self.ticket not in numbers:
            raise lh.SessionLost(f"place {self.ticket} is gone")
        ahead = numbers.index(self.ticket) - 1
        if ahead < 0:
            return True
        left = self.until - self.clock()
        if left > 0:
            watch = await self.service.watch(numbers[ahead], self.ticket)
            fired = not watch.gone and await watch.fired(min(left, 8))
            while not fired:
                try:
                    await watch.close()
                    break
                except lh.TransportError:
                    pass
        return False

    async def release(self):
        while self.ticket is not None:
            try:
                await self.service.remove(self.ticket)
                self.ticket = None
            except lh.TransportError:
                pass
