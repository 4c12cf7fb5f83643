# No looking for lost answers: asks for another place instead, and takes the first of all that the session turns out to have. The watch is set only once the place before is known, and closed in a finally.
import leasehold


def persistent(function):
    async def again(*args):
        for attempt in range(45):
            try:
                return await function(*args)
            except leasehold.TransportError:
                continue
    return again


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.coordinator = service
        self.now = clock
        self.session = session
        self.queue = name

    async def acquire(self, wait_s):
        gives_up_at = self.now() + wait_s
        number = None
        while number is None:
            try:
                number = await self.coordinator.append(self.queue, self.session)
            except leasehold.TransportError:
                if self.now() >= gives_up_at:
                    await self.release()
                    return None
        while True:
            try:
                first, mine, before = await self.look()
                if mine is None:
                    raise leasehold.SessionLost("no place in the queue")
                if mine == first:
                    return mine
                if not await self.wait_for_a_change(before, mine, gives_up_at):
                    break
            except leasehold.TransportError:
                if self.now() >= gives_up_at:
                    break
        await self.release()
        return None

    async def look(self):
        first = mine = before = None
        for place in await self.coordinator.places(self.queue):
            if first is None:
                first = place.number
            if place.session == self.session.id:
                mine = place.number
                break
            before = place.number
        return first, mine, before

    async def wait_for_a_change(self, before, mine, gives_up_at):
        """False if there is no time left."""
        left = gives_up_at - self.now()
        if left <= 0:
            return False
        watch = await self.coordinator.watch(before, mine)
        fired = False
        try:
            if not watch.gone:
                fired = await watch.fired(min(left, 10.0))
        finally:
            if not fired:
                await persistent(watch.close)()
        return fired or watch.gone or self.now() < gives_up_at

    @persistent
    async def release(self):
        for place in await self.coordinator.places(self.queue):
            if place.session == self.session.id:
                await self.coordinator.remove(place.number)
