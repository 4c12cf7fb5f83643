# The way of asking is a class of its own that Redlock is given; the end of a lease is a float with a method, and leases are looked up in a table by their number.
import abc
import itertools
import secrets

from leasehold import TransportError


class Moment(float):
    def is_over(self, clock):
        return clock() >= self


class Quorum:
    def __init__(self, n):
        self.n, self.need = n, n // 2 + 1
        self.yes, self.asked = 0, 0

    reached = property(lambda self: self.yes >= self.need)
    possible = property(lambda self: self.yes + self.n - self.asked >= self.need)


class Way(abc.ABC):
    @abc.abstractmethod
    async def collect(self, calls, quorum):
        """Make the calls, count them into the quorum."""

    async def safely(self, call, *args):
        try:
            return await call(*args)
        except TransportError:
            return None


class InTurn(Way):
    async def collect(self, calls, quorum):
        for call, *args in calls:
            if quorum.reached or not quorum.possible:
                return
            quorum.asked += 1
            quorum.yes += await self.safely(call, *args) is True


class Redlock:
    way = InTurn()

    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor
        self._numbers = itertools.count()
        self._tokens = {}

    async def acquire(self, name, ttl):
        token = secrets.token_bytes(20).hex()
        quorum = Quorum(len(self._nodes))
        end = Moment(self._clock() + ttl - self._drift_factor * ttl)
        await self.way.collect([(node.acquire, name, token, ttl) for node in self._nodes], quorum)
        if not quorum.reached or end.is_over(self._clock):
            await self._drop(name, token)
            return None
        lease = Lease(next(self._numbers), end)
        self._tokens[lease.number] = name, token
        return lease

    async def release(self, lease):
        if lease.number in self._tokens:
            await self._drop(*self._tokens.pop(lease.number))

    async def _drop(self, name, token):
        for node in self._nodes[::-1]:
            await self.way.safely(node.release, name, token)


class Lease:
    def __init__(self, number, valid_until):
        self.number = number
        self.valid_until = valid_until
