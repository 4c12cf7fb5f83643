# One ticker for the whole client looks at everything it has several times in a third of the shortest ttl, starts what is due and ends what is over; it stops when there is nothing to look at.
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Kept:
    __slots__ = ("client", "grant", "owner", "deadline", "renew_at", "asking", "handles", "state")

    def __init__(self, client, grant, owner, deadline):
        self.client, self.grant, self.owner, self.deadline = client, grant, owner, deadline
        self.asking = False
        self.handles = []
        self.state = "kept"
        self.plan()

    def plan(self):
        self.renew_at = self.client.clock() + self.grant.ttl * random.uniform(9, 11) / 30

    def good(self):
        return self.state == "kept" and self.client.clock() < self.deadline

    def tick(self, now):
        """Returns when to look again."""
        if now >= self.deadline:
            self.lose()
        elif now >= self.renew_at and not self.asking:
            self.asking = True
            spawn(self.ask())
        if self.state != "kept":
            return float("inf")
        step = now + self.grant.ttl / 24
        return min(self.deadline, step, self.renew_at if not self.asking else step)

    async def ask(self):
        # A release may have come since this task was spawned.
        if not self.good():
            return
        sent = self.client.clock()
        answer = await answer_of(
            self.client.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl))
        self.asking = False
        if not self.good():
            return
        if answer is False:
            self.lose()
        elif answer:
            self.deadline = sent + self.grant.ttl
            self.plan()
        else:
            self.plan()

    def lose(self):
        if self.state == "kept":
            self.state = "lost"
            self.client.kept.remove(self)
            self.client.told.extend(handle.on_lost for handle in self.handles if not handle.released)
            self.client.wake()


async def answer_of(call):
    try:
        return await call
    except TransportError:
        return None


class LockHandle:
    __slots__ = ("name", "fencing_token", "kept", "on_lost", "released")

    def __init__(self, kept, on_lost):
        self.name, self.fencing_token = kept.grant.name, kept.grant.fencing_token
        self.kept, self.on_lost, self.released = kept, on_lost, False
        kept.handles.append(self)

    def is_held(self):
        return not self.released and self.kept.good()

    async def release(self):
        kept = self.kept
        if self.released or kept.state == "lost":
            return
        if current_task() is not kept.owner:
            raise RuntimeError("release from another task")
        self.released = True
        if not all(handle.released for handle in kept.handles):
            return
        kept.state = "released"
        client = kept.client
        client.kept.remove(kept)
        client.wake()
        call = client.service.release
        if await answer_of(call(self.name, kept.grant.ownership_token)) is None:
            await answer_of(call(self.name, kept.grant.ownership_token))

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class Look:
    """A wish to know when a lock is free."""

    def __init__(self, client, name, callback):
        self.client, self.name, self.callback = client, name, callback
        self.live = True
        self.watch = None

    async def run(self):
        while self.live:
            watch = await answer_of(self.client.service.watch(self.name))
            if watch is None:
                await self.client.clock.sleep(WATCH_S / 10)
                continue
            self.watch = watch
            if self.live and await watch.fired(WATCH_S):
                self.watch = None
                if self.live:
                    self.live = False
                    self.callback()
                return
            await self.close()

    async def close(self):
        watch, self.watch = self.watch, None
        for pause in (0.1, 0.2, 0.4, 0.8):
            if watch is None:
                return
            try:
                await watch.close()
                watch = None
            except TransportError:
                await self.client.clock.sleep(pause)

    def cancel(self):
        if self.live:
            self.live = False
            if self.watch is not None:
                spawn(self.close())


class LockClient:
    def __init__(self, service, clock):
        self.service, self.clock = service, clock
        self.kept = []
        self.told = []          # on_lost functions that are still to be called
        self.ticking = False
        self.woken = None

    def wake(self):
        if self.woken is not None:
            self.woken.set()
        elif not self.ticking:
            self.ticking = True
            spawn(self.ticker())

    async def ticker(self):
        while self.kept or self.told:
            now = self.clock()
            again = min([kept.tick(now) for kept in list(self.kept)], default=now)
            while self.told:
                on_lost = self.told.pop(0)
                if on_lost is not None:
                    try:
                        on_lost()
                    except Exception:
                        pass
            if not self.kept:
                break
            self.woken = Signal()
            await self.woken.wait(max(1e-6, again - self.clock()))
            self.woken = None
        self.ticking = False

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or wait_s < 0 or not wait_s < float("inf"):
            raise ValueError("wait_s")
        owner = current_task()
        if reentrant:
            for kept in self.kept:
                if kept.grant.name == name and kept.owner is owner and kept.good():
                    return LockHandle(kept, on_lost)
        end = self.clock() + wait_s
        vain = 0
        while True:
            sent = self.clock()
            grant = await answer_of(self.service.acquire(name, ttl_s))
            now = self.clock()
            if grant is not None:
                if now < sent + grant.ttl:
                    kept = Kept(self, grant, owner, sent + grant.ttl)
                    self.kept.append(kept)
                    self.wake()
                    return LockHandle(kept, on_lost)
                await answer_of(self.service.release(name, grant.ownership_token))
            if sent >= end or now >= end:
                return None
            pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** vain))
            vain = min(vain + 1, 8)
            left = max(0.0, end - self.clock())
            await self.clock.sleep(min(pause, left))
            if pause >= left:
                end = -1.0

    def on_release(self, name, callback):
        look = Look(self, name, callback)
        spawn(look.run())
        return look.cancel
