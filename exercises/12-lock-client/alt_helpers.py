# Helpers everywhere: each try and each release in a task of its own, a mutex at the door, one watch for all who want to know.
import math
import random

from leasehold import Cancelled, Mutex, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Lease:
    """One grant: the handles that share it, and the two tasks that keep and watch it."""

    def __init__(self, service, clock, leases, grant, sent, owner):
        self.service = service
        self.clock = clock
        self.leases = leases
        self.grant = grant
        self.owner = owner
        self.deadline = sent + grant.ttl
        self.over = False
        self.handles = []
        leases.append(self)
        self.tasks = [spawn(self.renew()), spawn(self.watch_deadline())]

    def runs(self):
        return not self.over and self.clock() < self.deadline

    def end(self):
        self.over = True
        self.leases.remove(self)
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
            return
        if current_task() is not self.owner:
            raise RuntimeError(f"{handle.name} belongs to another task")
        self.handles.remove(handle)
        if self.handles:
            return
        self.end()
        spawn(self.give_back())

    async def give_back(self):
        try:
            await self.service.release(self.grant.name, self.grant.ownership_token)
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
        self._leases = []
        self._hubs = {}
        self._watches = {}
        self._mutex = Mutex()

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not 0 <= wait_s < math.inf:
            raise ValueError("wait_s is a number of seconds, from 0 on")
        until = self._clock() + wait_s
        async with self._mutex:
            await self._clock.sleep(0)
        if reentrant:
            for lease in self._leases:
                if lease.grant.name == name and lease.owner is current_task() and lease.runs():
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
        worker = spawn(self._ask(name, ttl_s))
        try:
            grant = await worker
        except Cancelled:
            worker.cancel()
            raise
        if grant is None:
            return None
        # The answer came to the worker, and this task may have had its turn much later.
        lease = Lease(self._service, self._clock, self._leases, grant, sent, current_task())
        if lease.runs():
            return lease
        lease.end()
        spawn(lease.give_back())
        return None

    async def _ask(self, name, ttl_s):
        try:
            return await self._service.acquire(name, ttl_s)
        except TransportError:
            return None

    def on_release(self, name, callback):
        if name not in self._hubs:
            self._hubs[name] = {}
            spawn(self._hub(name, self._hubs[name]))
        key = object()
        hub = self._hubs[name]
        hub[key] = callback

        def cancel():
            if hub.pop(key, None) and not hub:
                self._hubs.pop(name, None)
                watch = self._watches.pop(name, None)
                if watch is not None:
                    spawn(self._close(watch))

        return cancel

    async def _hub(self, name, hub):
        while hub:
            try:
                watch = await self._service.watch(name)
            except TransportError:
                await self._clock.sleep(2)
                continue
            if not hub:
                return await self._close(watch)
            self._watches[name] = watch
            fired = await watch.fired(WATCH_S)
            if self._watches.get(name) is watch:
                del self._watches[name]
            if fired:
                callbacks = list(hub.values())
                if self._hubs.get(name) is hub:
                    del self._hubs[name]
                hub.clear()
                for callback in callbacks:
                    callback()
                return
            if hub:
                await self._close(watch)

    async def _close(self, watch):
        try:
            await watch.close()
        except TransportError:
            pass
