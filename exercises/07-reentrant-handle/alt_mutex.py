"""One Mutex for each name, held over the calls; a count and sets of numbers in place of lists of handles."""

import itertools

from leasehold import Mutex, TransportError


class Slot:
    def __init__(self):
        self.mutex = Mutex()
        self.grant = None
        self.owner = None
        self.tickets = {}


class Handle:
    def __init__(self, slot, service, grant, owner, ticket):
        self.fencing_token = grant.fencing_token
        self._slot, self._service, self._grant, self._owner, self._ticket = slot, service, grant, owner, ticket
        self._done = False

    def is_held(self):
        return not self._done and self._ticket in self._slot.tickets

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError("not yours")
        self._done = True
        async with self._slot.mutex:
            if self._slot.tickets.pop(self._ticket, self) is self or self._slot.tickets:
                return
            self._slot.grant = None
            try:
                await self._service.release(self._grant.name, self._grant.ownership_token)
            except TransportError:
                pass


class LockRegistry:
    def __init__(self, service):
        self._service = service
        self._slots = {}
        self._tickets = itertools.count()

    async def acquire(self, name, ttl, owner, on_lost=None):
        slot = self._slots.setdefault(name, Slot())
        async with slot.mutex:
            if slot.grant is not None and slot.owner != owner:
                return None
            if slot.grant is None:
                grant = await self._service.acquire(name, ttl)
                if grant is None:
                    return None
                slot.grant, slot.owner = grant, owner
            ticket = next(self._tickets)
            slot.tickets[ticket] = on_lost
            return Handle(slot, self._service, slot.grant, owner, ticket)

    def lost(self, name, fencing_token):
        slot = self._slots.get(name)
        if slot is None or slot.grant is None or slot.grant.fencing_token != fencing_token:
            return
        callbacks = [callback for callback in slot.tickets.values() if callback]
        slot.tickets.clear()
        slot.grant = None
        problems = []
        for callback in callbacks:
            try:
                callback()
            except Exception as problem:
                problems.append(problem)
        if problems:
            raise problems[0]
