# All at once; a failed attempt releases all nodes at once without waiting for the silent ones, and an asker whose yes comes after that releases it again by itself.
import secrets

from leasehold import Signal, TransportError, spawn


class Attempt:
    def __init__(self, redlock, name, ttl):
        self.redlock = redlock
        self.name = name
        self.ttl = ttl
        self.token = secrets.token_hex(16)
        self.state = "asking"
        self.yes = self.rest = 0
        self.done = Signal()
        self.end = redlock.clock() + ttl - redlock.drift_factor * ttl

    async def ask(self, node):
        if self.state != "asking":
            return
        try:
            answer = await node.acquire(self.name, self.token, self.ttl)
        except TransportError:
            answer = None
        if self.state == "failed" and answer is True:
            await self.forget(node)
        if self.state != "asking":
            return
        if answer is True:
            self.yes += 1
        else:
            self.rest += 1
        n = len(self.redlock.nodes)
        if self.yes * 2 > n:
            self.end_with("won")
        elif self.rest * 2 >= n:
            self.end_with("failed")

    def end_with(self, state):
        self.state = state
        self.done.set()

    async def forget(self, node):
        try:
            await node.release(self.name, self.token)
        except TransportError:
            pass

    async def forget_everywhere(self):
        tasks = [spawn(self.forget(node)) for node in self.redlock.nodes]
        for task in tasks:
            await task


class Lease:
    def __init__(self, attempt):
        self.attempt = attempt
        self.valid_until = attempt.end


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.nodes, self.clock, self.drift_factor = nodes, clock, drift_factor

    async def acquire(self, name, ttl):
        attempt = Attempt(self, name, ttl)
        for node in self.nodes:
            spawn(attempt.ask(node))
        await attempt.done.wait()
        if attempt.state == "won" and attempt.end - self.clock() > 0:
            return Lease(attempt)
        attempt.state = "failed"
        await attempt.forget_everywhere()
        return None

    async def release(self, lease):
        await lease.attempt.forget_everywhere()
