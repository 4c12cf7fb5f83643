# Each try runs in a helper task, so that a grant which comes for a cancelled waiter is given back; two failed renewals in a row are a loss before the deadline, and a failed one is repeated soon.
import math
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


async def silently(call):
    """(whether an answer came, the answer)"""
    try:
        return True, await call
    except TransportError:
        return False, None


class Try:
    """One acquire under way. Whoever waits for it may go away."""

    def __init__(self, service, clock, name, ttl_s):
        self.service, self.clock = service, clock
        self.name, self.ttl_s = name, ttl_s
        self.sent = clock()
        self.grant = None
        self.abandoned = False
        self.settled = Signal()
        spawn(self.run())

    async def run(self):
        if self.abandoned:
            return
        self.sent = self.clock()
        _, grant = await silently(self.service.acquire(self.name, self.ttl_s))
        self.grant = grant
        if self.abandoned:
            self.give_back()
        self.settled.set()

    def give_back(self):
        """In the background: nobody waits for it."""
        if self.grant is not None:
            spawn(silently(self.service.release(self.name, self.grant.ownership_token)))
            self.grant = None

    async def result(self):
        try:
            await self.settled.wait()
        except BaseException:
            self.abandoned = True
            self.give_back()
            raise
        if self.grant is not None and self.clock() >= self.sent + self.grant.ttl:
            self.give_back()
        return self.grant


class Keeper:
    def __init__(self, client, grant, owner, deadline):
        self.client, self.grant, self.owner, self.deadline = client, grant, owner, deadline
        self.handles = []
        self.state = "held"
        self.failures = 0
        self.stop = Signal()
        spawn(self.renewals())
        spawn(self.guard())

    @property
    def valid(self):
        return self.state == "held" and self.client.clock() < self.deadline

    def finish(self, state):
        self.state = state
        self.stop.set()
        held = self.client.held
        if held.get(self.grant.name) is self:
            held.pop(self.grant.name)

    def lost(self):
        if self.state != "held":
            return
        self.finish("lost")
        handles = [handle for handle in self.handles if not handle.released]
        spawn(self.tell([handle.on_lost for handle in handles if handle.on_lost]))

    async def tell(self, functions):
        # A task for each: what one raises stays in its own.
        for function in functions:
            spawn(self.tell_one(function))

    async def tell_one(self, function):
        try:
            function()
        except Exception as problem:
            self.problem = problem

    async def guard(self):
        while self.valid:
            await self.stop.wait(max(self.deadline - self.client.clock(), 1e-6))
        self.lost()

    async def renewals(self):
        clock, grant = self.client.clock, self.grant
        third = grant.ttl / 3
        while True:
            pause = third * random.uniform(0.9, 1.1)
            if self.failures:
                pause *= 0.4
            if await self.stop.wait(pause) or not self.valid:
                return
            sent = clock()
            answered, renewed = await silently(
                self.client.service.renew(grant.name, grant.ownership_token, grant.ttl))
            if not self.valid:
                return
            if not answered:
                self.failures += 1
                if self.failures == 2:
                    return self.lost()
            elif renewed:
                self.failures = 0
                self.deadline = sent + grant.ttl
            else:
                return self.lost()


class LockHandle:
    def __init__(self, keeper, on_lost):
        self.name, self.fencing_token = keeper.grant.name, keeper.grant.fencing_token
        self.keeper, self.on_lost, self.released = keeper, on_lost, False
        keeper.handles.append(self)

    def is_held(self):
        return not self.released and self.keeper.valid

    async def release(self):
        if self.released or self.keeper.state != "held":
            return
        if self.keeper.owner is not current_task():
            raise RuntimeError("the handle of another task")
        self.released = True
        if all(handle.released for handle in self.keeper.handles):
            self.keeper.finish("released")
            call = self.keeper.client.service.release
            answered, _ = await silently(call(self.name, self.keeper.grant.ownership_token))
            if not answered:
                await silently(call(self.name, self.keeper.grant.ownership_token))

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LockClient:
    def __init__(self, service, clock):
        self.service, self.clock = service, clock
        self.held = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not math.isfinite(wait_s) or wait_s < 0:
            raise ValueError("wait_s")
        me = current_task()
        if reentrant and name in self.held and self.held[name].owner is me and self.held[name].valid:
            return LockHandle(self.held[name], on_lost)
        began = self.clock()
        vain = 0
        at_the_end = wait_s == 0
        while True:
            attempt = Try(self.service, self.clock, name, ttl_s)
            grant = await attempt.result()
            if grant is not None:
                keeper = self.held[name] = Keeper(self, grant, me, attempt.sent + grant.ttl)
                return LockHandle(keeper, on_lost)
            if at_the_end:
                return None
            rest = began + wait_s - self.clock()
            if rest <= 0:
                return None
            pause = random.random() * min(CAP_S, BASE_S * 2.0 ** min(vain, 64))
            vain += 1
            if pause >= rest:
                pause, at_the_end = rest, True
            await self.clock.sleep(pause)

    def on_release(self, name, callback):
        wanted = [True]
        watches = []

        async def close(watch):
            answered, _ = await silently(watch.close())
            if not answered:
                await silently(watch.close())

        async def run():
            while wanted:
                answered, watch = await silently(self.service.watch(name))
                if not answered:
                    continue
                if not wanted:
                    await close(watch)
                    return
                watches.append(watch)
                fired = await watch.fired(WATCH_S)
                if not wanted:
                    return
                watches.remove(watch)
                if fired:
                    wanted.clear()
                    callback()
                    return
                # The old one is taken back while the new one is asked for.
                spawn(close(watch))

        def cancel():
            wanted.clear()
            while watches:
                spawn(close(watches.pop()))

        spawn(run())
        return cancel
