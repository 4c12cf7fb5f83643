# Asks in two waves: first as many nodes at once as a majority needs, then, if some of them failed, all the others at once.
import secrets

from leasehold import TransportError, spawn


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_hex(16)
        majority = len(self._nodes) // 2 + 1
        t1 = self._clock()
        answers = await together(node.acquire(name, token, ttl) for node in self._nodes[:majority])
        possible = answers.count(True) + len(self._nodes) - majority
        if answers.count(True) < majority <= possible:
            answers += await together(node.acquire(name, token, ttl) for node in self._nodes[majority:])
        t2 = self._clock()
        usable = ttl - (t2 - t1) - self._drift_factor * ttl
        if answers.count(True) >= majority and usable > 0:
            return Lease(name, token, t2 + usable)
        await together(node.release(name, token) for node in self._nodes)
        return None

    async def release(self, lease):
        await together(node.release(lease.name, lease.ownership_token) for node in self._nodes)


async def together(calls):
    async def one(call):
        try:
            return await call
        except TransportError:
            return None

    tasks = [spawn(one(call)) for call in calls]
    answers = []
    for task in tasks:
        answers.append(await task)
    return answers
