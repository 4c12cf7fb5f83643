# Two tasks look after each grant, one that renews and one that waits for the deadline; whatever ends the grant cancels them.
import math
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LockHandle:
    def __init__(self, hold, on_lost):
        self.name = hold.name
        self.fencing_token = hold.fencing_token
        self._hold = hold
        self._on_lost = on_lost
        self._state = "held"

    def is_held(self):
        return self._state == "held" and self._hold.is_alive()

    async def release(self):
        if self._state != "held":
            return
        if current_task() is not self._hold.owner:
            raise RuntimeError("this handle belongs to another task")
        self._state = "released"
        await self._hold.drop(self)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class Hold:
    """One grant: its owner, its deadline, the handles that are held, and the tasks that keep it."""

    def __init__(self, client, grant, owner, sent):
        self.client = client
        self.clock = client.clock
        self.service = client.service
        self.name = grant.name
        self.fencing_token = grant.fencing_token
        self.ownership_token = grant.ownership_token
        self.ttl = grant.ttl
        self.owner = owner
        self.deadline = sent + grant.ttl
        self.over = False
        self.handles = []
        self.renewer = spawn(self.renew())
        self.watchman = spawn(self.watch_the_deadline())

    def is_alive(self):
        return not self.over and self.clock() < self.deadline

    def new_handle(self, on_lost):
        handle = LockHandle(self, on_lost)
        self.handles.append(handle)
        return handle

    async def drop(self, handle):
        self.handles.remove(handle)
        if self.handles:
            return
        self.over = True
        self.client.forget(self)
        self.renewer.cancel()
        self.watchman.cancel()
        for _ in range(2):
            try:
                await self.service.release(self.name, self.ownership_token)
                return
            except TransportError:
                pass

    def lose(self):
        """Called by one of the two tasks."""
        if self.over:
            return
        self.over = True
        self.client.forget(self)
        lost, self.handles = self.handles, []
        for handle in lost:
            handle._state = "lost"
        spawn(tell([handle._on_lost for handle in lost if handle._on_lost is not None]))

    async def watch_the_deadline(self):
        while not self.over:
            left = self.deadline - self.clock()
            if left <= 0:
                self.lose()
                self.renewer.cancel()
                return
            await self.clock.sleep(max(left, 1e-6))

    async def renew(self):
        while not self.over:
            await self.clock.sleep(self.ttl / 3 * random.uniform(0.9, 1.1))
            if not self.is_alive():
                return
            sent = self.clock()
            try:
                renewed = await self.service.renew(self.name, self.ownership_token, self.ttl)
            except TransportError:
                continue
            if not self.is_alive():
                return
            if not renewed:
                self.lose()
                self.watchman.cancel()
                return
            self.deadline = sent + self.ttl


async def tell(callbacks):
    for callback in callbacks:
        try:
            callback()
        except Exception:
            pass


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self._holds = {}

    def forget(self, hold):
        if self._holds.get(hold.name) is hold:
            del self._holds[hold.name]

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not (wait_s >= 0 and math.isfinite(wait_s)):
            raise ValueError("wait_s is a finite number of seconds from 0 on")
        owner = current_task()
        if reentrant:
            hold = self._holds.get(name)
            if hold is not None and hold.owner is owner and hold.is_alive():
                return hold.new_handle(on_lost)
        end = self.clock() + wait_s
        ceiling = BASE_S
        last = wait_s == 0
        while True:
            hold = await self._try(name, ttl_s, owner)
            if hold is not None:
                return hold.new_handle(on_lost)
            left = end - self.clock()
            if last or left <= 0:
                return None
            pause = random.uniform(0, min(CAP_S, ceiling))
            ceiling = min(ceiling * 2, CAP_S)
            last = pause >= left
            await self.clock.sleep(min(pause, left))

    async def _try(self, name, ttl_s, owner):
        sent = self.clock()
        try:
            grant = await self.service.acquire(name, ttl_s)
        except TransportError:
            return None
        if grant is None:
            return None
        if self.clock() >= sent + grant.ttl:
            # Beside the wait, whose end must not be missed because of it.
            spawn(self._give_back(name, grant.ownership_token))
            return None
        hold = self._holds[name] = Hold(self, grant, owner, sent)
        return hold

    async def _give_back(self, name, ownership_token):
        try:
            await self.service.release(name, ownership_token)
        except TransportError:
            pass

    def on_release(self, name, callback):
        wish = Wish(self, name, callback)
        wish.task = spawn(wish.run())
        return wish.cancel


class Wish:
    """To be told when a lock is free."""

    def __init__(self, client, name, callback):
        self.client, self.name, self.callback = client, name, callback
        self.over = False
        self.watch = None

    async def run(self):
        clock, service = self.client.clock, self.client.service
        while not self.over:
            try:
                watch = await service.watch(self.name)
            except TransportError:
                if not self.over:
                    await clock.sleep(random.uniform(0, WATCH_S / 2))
                continue
            if self.over:
                await self.close(watch)
                return
            self.watch = watch
            fired = await watch.fired(WATCH_S)
            if self.over:
                return
            self.watch = None
            if fired:
                self.over = True
                self.callback()
                return
            await self.close(watch)

    async def close(self, watch):
        for _ in range(3):
            try:
                await watch.close()
                return
            except TransportError:
                pass

    def cancel(self):
        if self.over:
            return
        self.over = True
        if self.watch is not None:
            spawn(self.close(self.watch))
