# Writes are tickets in a queue; one worker task per store does them one after another and reports by Signal.
from collections import deque

from leasehold import Duplicate, Signal, StaleFencingToken, spawn


class Ticket:
    __slots__ = ("resource", "token", "value", "error", "done")

    def __init__(self, resource, token, value):
        self.resource, self.token, self.value = resource, token, value
        self.error = None
        self.done = Signal()


class FencedStore:
    def __init__(self, db):
        self._db = db
        self._queue = deque()
        self._working = False

    async def write(self, resource, token, value):
        ticket = Ticket(resource, token, value)
        self._queue.append(ticket)
        if not self._working:
            self._working = True
            spawn(self._work())
        try:
            await ticket.done.wait()
        except BaseException:
            if ticket in self._queue:
                self._queue.remove(ticket)
            else:
                await ticket.done.wait()    # its transaction is under way: stay until it has ended
            raise
        if ticket.error is not None:
            raise ticket.error

    async def _work(self):
        while self._queue:
            ticket = self._queue.popleft()
            try:
                await self._store(ticket)
            except Exception as error:
                ticket.error = error
            finally:
                ticket.done.set()
        self._working = False

    async def _store(self, ticket):
        new = {"mark": ticket.token, "value": ticket.value}
        async with await self._db.begin() as tx:
            try:
                await tx.insert(ticket.resource, new)
            except Duplicate:
                old = await tx.get_for_update(ticket.resource)
                if ticket.token < old["mark"]:
                    raise StaleFencingToken(ticket.resource)
                await tx.put(ticket.resource, new)

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return record["value"] if record else None
