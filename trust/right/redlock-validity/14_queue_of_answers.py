# Askers put (node, answer, time) on a queue made of a list and a signal; acquire takes them off one by one, and on failure each node is released as soon as its own answer is in.
import secrets

from leasehold import Signal, TransportError, spawn


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Queue:
    def __init__(self):
        self._items = []
        self._more = Signal()

    def put(self, item):
        self._items.append(item)
        self._more.set()

    async def get(self):
        while not self._items:
            self._more = Signal()
            await self._more.wait()
        return self._items.pop(0)


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        token = secrets.token_hex(16)
        answers = Queue()
        over = []

        async def ask(node):
            answer = None
            if not over:
                try:
                    answer = await node.acquire(name, token, ttl)
                except TransportError:
                    pass
            answers.put((node, answer))

        t1 = self._clock()
        for node in self._nodes:
            spawn(ask(node))
        yes, pending = [], len(self._nodes)
        done = []
        while pending:
            node, answer = await answers.get()
            pending -= 1
            done.append((node, answer))
            if answer:
                yes.append(node)
            if 2 * len(yes) > len(self._nodes):
                t2 = self._clock()
                usable = ttl - (t2 - t1) - self._drift_factor * ttl
                if usable > 0:
                    over.append(True)
                    return Lease(name, token, t2 + usable)
                break
            if 2 * (len(yes) + pending) <= len(self._nodes):
                break
        over.append(True)
        for node, answer in done:
            if answer is not False:
                await self._forget(node, name, token)
        for _ in range(pending):
            node, answer = await answers.get()
            await self._forget(node, name, token)
        return None

    async def _forget(self, node, name, token):
        try:
            await node.release(name, token)
        except TransportError:
            pass

    async def release(self, lease):
        for node in self._nodes:
            await self._forget(node, lease.name, lease.ownership_token)
