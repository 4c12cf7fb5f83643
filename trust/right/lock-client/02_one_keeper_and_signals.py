# One keeper task per grant that waits for signals with timeouts and cancels nothing; each renewal is a request object whose answer the keeper awaits no longer than the deadline.
import math
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0
TICK = 1e-6


class Request:
    """A call that goes on by itself, unless it is no longer wanted when its turn comes.

    `answer` is True, False or None for no answer, once `done` is set.
    """

    def __init__(self, wanted, method, *args):
        self.answer = None
        self.done = Signal()
        spawn(self._run(wanted, method, args))

    async def _run(self, wanted, method, args):
        try:
            if wanted():
                self.answer = await method(*args)
        except TransportError:
            self.answer = None
        finally:
            self.done.set()


class Lease:
    def __init__(self, client, grant, deadline):
        self.client = client
        self.grant = grant
        self.deadline = deadline
        self.owner = None
        self.held = []
        self.ended = Signal()

    def runs(self):
        return not self.ended.is_set() and self.client.clock() < self.deadline

    def end(self):
        self.ended.set()
        if self.client._leases.get(self.grant.name) is self:
            del self.client._leases[self.grant.name]

    def lose(self):
        self.end()
        told, self.held = self.held, []
        for handle in told:
            handle._ended = True
        for handle in told:
            if handle._on_lost is not None:
                spawn(call(handle._on_lost))

    async def keep(self):
        clock, grant = self.client.clock, self.grant
        while True:
            due = clock() + grant.ttl / 3 * random.uniform(0.92, 1.08)
            while clock() < min(due, self.deadline):
                if await self.ended.wait(max(TICK, min(due, self.deadline) - clock())):
                    return
            if self.ended.is_set():
                return
            if clock() >= self.deadline:
                return self.lose()
            sent = clock()
            request = Request(self.runs, self.client.service.renew, grant.name, grant.ownership_token, grant.ttl)
            while not request.done.is_set() and clock() < self.deadline:
                await request.done.wait(max(TICK, self.deadline - clock()))
            if self.ended.is_set():
                return
            if clock() >= self.deadline or request.answer is False:
                return self.lose()
            if request.answer:
                self.deadline = sent + grant.ttl


async def call(function):
    try:
        function()
    except Exception:
        pass


class LockHandle:
    def __init__(self, lease, on_lost):
        self._lease = lease
        self._on_lost = on_lost
        self._ended = False

    @property
    def name(self):
        return self._lease.grant.name

    @property
    def fencing_token(self):
        return self._lease.grant.fencing_token

    def is_held(self):
        return not self._ended and self._lease.runs()

    async def release(self):
        lease = self._lease
        if lease.owner is not current_task():
            raise RuntimeError(f"{self.name} was acquired by another task")
        if self._ended or not lease.runs():
            return         # what is past its deadline is left to the keeper
        self._ended = True
        lease.held.remove(self)
        if lease.held:
            return
        lease.end()
        service, grant = lease.client.service, lease.grant
        try:
            await service.release(grant.name, grant.ownership_token)
        except TransportError:
            try:
                await service.release(grant.name, grant.ownership_token)
            except TransportError:
                pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self._leases = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or math.isnan(wait_s) or math.isinf(wait_s) or wait_s < 0:
            raise ValueError("wait_s")
        me = current_task()
        if reentrant:
            lease = self._leases.get(name)
            if lease is not None and lease.owner is me and lease.runs():
                return self._handle(lease, on_lost)
        end = self.clock() + wait_s
        tries = 0
        while True:
            lease, answered = await self._once(name, ttl_s)
            if lease is not None:
                lease.owner = me
                self._leases[name] = lease
                handle = self._handle(lease, on_lost)
                spawn(lease.keep())
                return handle
            if answered >= end:
                return None
            now = self.clock()      # later, if something was given back
            longest = CAP_S if tries > 20 else min(CAP_S, BASE_S * 2 ** tries)
            tries += 1
            wake = now + random.uniform(0, longest)
            if wake < end:
                await self.clock.sleep(wake - now)
                continue
            # The last one. A little rounding must not make two of it.
            if now < end:
                await self.clock.sleep(end - now)
            end = self.clock()

    async def _once(self, name, ttl_s):
        """A lease or None, and when the answer came or was given up."""
        before = self.clock()
        try:
            grant = await self.service.acquire(name, ttl_s)
        except TransportError:
            grant = None
        answered = self.clock()
        if grant is None:
            return None, answered
        deadline = before + grant.ttl
        if answered < deadline:
            return Lease(self, grant, deadline), answered
        try:
            await self.service.release(name, grant.ownership_token)
        except TransportError:
            pass
        return None, answered

    def _handle(self, lease, on_lost):
        handle = LockHandle(lease, on_lost)
        lease.held.append(handle)
        return handle

    def on_release(self, name, callback):
        unwanted = Signal()
        place = []       # the watch that is out, at most one

        async def take_back():
            while place:
                watch = place.pop()
                try:
                    await watch.close()
                except TransportError:
                    try:
                        await watch.close()
                    except TransportError:
                        pass

        async def wait():
            while not unwanted.is_set():
                try:
                    watch = await self.service.watch(name)
                except TransportError:
                    continue
                place.append(watch)
                if unwanted.is_set():
                    break
                fired = await watch.fired(WATCH_S)
                if unwanted.is_set():
                    break
                if fired:
                    unwanted.set()
                    place.clear()
                    callback()
                    return
                await take_back()
            await take_back()

        def cancel():
            if not unwanted.is_set():
                unwanted.set()
                if place:
                    spawn(take_back())

        spawn(wait())
        return cancel
