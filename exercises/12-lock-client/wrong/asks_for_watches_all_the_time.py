# killed-by: a_lost_watch_is_asked_for_again
# bug: A watch is given up after 20 ms, and a new one is left, over and over.
import math
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LockHandle:
    def __init__(self, g, on_lost):
        self.name = g.grant.name
        self.fencing_token = g.grant.fencing_token
        self._g = g
        self._on_lost = on_lost
        self._state = "held"
        g.handles.append(self)

    def is_held(self):
        return self._state == "held" and self._g.alive()

    async def release(self):
        if self._g.owner is not current_task():
            raise RuntimeError("not yours")
        if self._state != "held":
            return
        g = self._g
        if not g.alive():
            g.lose()
            return
        self._state = "released"
        if any(h._state == "held" for h in g.handles):
            return
        g.over = True
        g.stop()
        await g.give_back()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LiveGrant:
    def __init__(self, client, grant, deadline):
        self.client = client
        self.grant = grant
        self.deadline = deadline
        self.owner = current_task()
        self.handles = []
        self.over = False
        self.tasks = []

    def alive(self):
        return not self.over and self.client.clock() < self.deadline

    def start(self):
        self.tasks = [spawn(self.renewer()), spawn(self.watchdog())]

    def stop(self):
        me = current_task()
        for t in self.tasks:
            if t is not me:
                t.cancel()

    def lose(self):
        if self.over:
            return
        self.over = True
        told = []
        for h in self.handles:
            if h._state == "held":
                h._state = "lost"
                if h._on_lost is not None:
                    told.append(h._on_lost)
        for f in told:
            spawn(self.tell(f))
        self.stop()

    async def tell(self, f):
        f()

    async def watchdog(self):
        while not self.over:
            left = self.deadline - self.client.clock()
            if left <= 0:
                self.lose()
                return
            await self.client.clock.sleep(left)

    async def renewer(self):
        c = self.client
        while True:
            ttl = self.grant.ttl
            await c.clock.sleep(ttl / 3 * random.uniform(0.9, 1.1))
            while True:
                if self.over:
                    return
                if not self.alive():
                    self.lose()
                    return
                t = c.clock()
                try:
                    ok = await c.service.renew(self.grant.name, self.grant.ownership_token, ttl)
                except TransportError:
                    if self.over:
                        return
                    await c.clock.sleep(ttl / 12)
                    continue
                if self.over:
                    return
                if not self.alive() or not ok:
                    self.lose()
                    return
                self.deadline = t + ttl
                break

    async def give_back(self):
        for _ in range(2):
            try:
                await self.client.service.release(self.grant.name, self.grant.ownership_token)
                return
            except TransportError:
                pass


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self._grants = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not (0 <= wait_s < math.inf):
            raise ValueError("wait_s")
        if reentrant:
            g = self._grants.get(name)
            if g is not None and g.owner is current_task() and g.alive():
                return LockHandle(g, on_lost)
        end = self.clock() + wait_s
        n = 0
        while True:
            t = self.clock()
            try:
                grant = await self.service.acquire(name, ttl_s)
            except TransportError:
                grant = None
            if grant is not None:
                g = LiveGrant(self, grant, t + grant.ttl)
                if g.alive():
                    self._grants[name] = g
                    h = LockHandle(g, on_lost)
                    g.start()
                    return h
                await g.give_back()
            now = self.clock()
            if t >= end or now >= end and wait_s == 0 or now > end:
                return None
            pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** n))
            n += 1
            await self.clock.sleep(max(0, min(pause, end - now)))

    def on_release(self, name, callback):
        state = {"off": False}

        async def close(w):
            while True:
                try:
                    await w.close()
                    return
                except TransportError:
                    pass

        async def run():
            while not state["off"]:
                try:
                    w = await self.service.watch(name)
                except TransportError:
                    continue
                if state["off"]:
                    await close(w)
                    return
                state["w"] = w
                fired = await w.fired(0.02)
                if state["off"]:
                    return
                if fired:
                    state["off"] = True
                    callback()
                    return
                state["w"] = None
                await close(w)

        spawn(run())

        def cancel():
            if state["off"]:
                return
            state["off"] = True
            w = state.get("w")
            if w is not None:
                spawn(close(w))
        return cancel
