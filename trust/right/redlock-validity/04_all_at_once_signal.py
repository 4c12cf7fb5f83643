# Tasks for all nodes count into one tally that sets a signal when it is decided; late answers are ignored on success and waited for on failure.
import secrets

from leasehold import Signal, TransportError, spawn


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Tally:
    def __init__(self, n):
        self.n = n
        self.yes = 0
        self.other = 0
        self.decided = Signal()

    def count(self, answer):
        if answer:
            self.yes += 1
        else:
            self.other += 1
        if self.won or self.hopeless:
            self.decided.set()

    @property
    def won(self):
        return self.yes * 2 > self.n

    @property
    def hopeless(self):
        return (self.n - self.other) * 2 <= self.n


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = tuple(nodes)
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_hex(12)
        tally = Tally(len(self._nodes))

        async def ask(node):
            if tally.decided.is_set():
                return
            try:
                answer = await node.acquire(name, token, ttl)
            except TransportError:
                answer = None
            tally.count(answer)

        valid_until = self._clock() + ttl - self._drift_factor * ttl
        tasks = [spawn(ask(node)) for node in self._nodes]
        await tally.decided.wait()
        if tally.won and self._clock() < valid_until:
            return Lease(name, token, valid_until)
        for task in tasks:
            await task
        await self._release(name, token)
        return None

    async def release(self, lease):
        await self._release(lease.name, lease.ownership_token)

    async def _release(self, name, token):
        for task in [spawn(self._release_one(node, name, token)) for node in self._nodes]:
            await task

    async def _release_one(self, node, name, token):
        try:
            return await node.release(name, token)
        except TransportError:
            return False
