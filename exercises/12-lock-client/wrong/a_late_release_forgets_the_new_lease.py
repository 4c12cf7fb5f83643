# killed-by: a_lost_grant_gives_way_to_a_new_one
# bug: Releasing a handle that was lost takes its name out of the table, and with it the lease that the same task has taken since.
import math
import random

from leasehold import TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Lease:
    """One grant: the handles that share it, and the two tasks that keep and watch it."""

    def __init__(self, service, clock, leases, grant, sent):
        self.service = service
        self.clock = clock
        self.leases = leases
        self.grant = grant
        self.owner = current_task()
        self.deadline = sent + grant.ttl
        self.over = False
        self.handles = []
        leases[grant.name, self.owner] = self
        self.tasks = [spawn(self.renew()), spawn(self.watch_deadline())]

    def runs(self):
        return not self.over and self.clock() < self.deadline

    def end(self):
        self.over = True
        self.leases.pop((self.grant.name, self.owner), None)
        for task in self.tasks:
            if task is not current_task():
                task.cancel()

    async def renew(self):
        wait = self.grant.ttl / 3
        while True:
            await self.clock.sleep(wait * random.uniform(0.9, 1.1))
            sent = self.clock()
            if sent >= self.deadline:
                return self.lose()
            try:
                renewed = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            except TransportError:
                wait = self.grant.ttl / 10
                continue
            if not renewed:
                return self.lose()
            self.deadline = sent + self.grant.ttl
            wait = self.grant.ttl / 3

    async def watch_deadline(self):
        while (left := self.deadline - self.clock()) > 0:
            await self.clock.sleep(left)
        self.lose()

    def lose(self):
        if self.over:
            return
        self.end()
        lost, self.handles = self.handles, []
        for handle in lost:
            if handle.on_lost is not None:
                try:
                    handle.on_lost()
                except Exception as problem:
                    print("on_lost raised", problem)

    async def release(self, handle):
        if handle not in self.handles:
            # It was lost, so there is nothing to keep of it.
            self.leases.pop((handle.name, current_task()), None)
            return
        if current_task() is not self.owner:
            raise RuntimeError(f"{handle.name} belongs to another task")
        self.handles.remove(handle)
        if self.handles:
            return
        self.end()
        try:
            await self.service.release(handle.name, self.grant.ownership_token)
        except TransportError:
            pass


class LockHandle:
    def __init__(self, lease, on_lost):
        self.name = lease.grant.name
        self.fencing_token = lease.grant.fencing_token
        self.on_lost = on_lost
        self._lease = lease
        lease.handles.append(self)

    def is_held(self):
        return self in self._lease.handles and self._lease.runs()

    async def release(self):
        await self._lease.release(self)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LockClient:
    def __init__(self, service, clock):
        self._service = service
        self._clock = clock
        self._leases = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not 0 <= wait_s < math.inf:
            raise ValueError("wait_s is a number of seconds, from 0 on")
        until = self._clock() + wait_s
        if reentrant:
            lease = self._leases.get((name, current_task()))
            if lease is not None and lease.runs():
                return LockHandle(lease, on_lost)
        ceiling = BASE_S
        while True:
            lease = await self._try(name, ttl_s)
            if lease is not None:
                return LockHandle(lease, on_lost)
            left = until - self._clock()
            if left <= 0:
                return None
            await self._clock.sleep(min(random.uniform(0, ceiling), left))
            ceiling = min(CAP_S, 2 * ceiling)

    async def _try(self, name, ttl_s):
        sent = self._clock()
        try:
            grant = await self._service.acquire(name, ttl_s)
            if grant is None:
                return None
            if self._clock() < sent + grant.ttl:
                return Lease(self._service, self._clock, self._leases, grant, sent)
            await self._service.release(name, grant.ownership_token)
        except TransportError:
            pass
        return None

    def on_release(self, name, callback):
        question = Question(self._service, self._clock, name, callback)
        spawn(question.ask())
        return question.cancel


class Question:
    """Is the lock free? Asked until it is, or until nobody wants to know."""

    def __init__(self, service, clock, name, callback):
        self._service = service
        self._clock = clock
        self._name = name
        self._callback = callback
        self._watch = None

    async def ask(self):
        while self._callback is not None:
            try:
                self._watch = await self._service.watch(self._name)
            except TransportError:
                await self._clock.sleep(1)
                continue
            if self._callback is not None and await self._watch.fired(WATCH_S):
                callback, self._callback = self._callback, None
                if callback is not None:
                    callback()
                return
            await self._close()

    def cancel(self):
        if self._callback is not None:
            self._callback = None
            if self._watch is not None:
                spawn(self._close())

    async def _close(self):
        watch, self._watch = self._watch, None
        if watch is not None:
            try:
                await watch.close()
            except TransportError:
                pass
