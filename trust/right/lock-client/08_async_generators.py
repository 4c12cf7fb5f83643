# Loops are async generators: tries(), beats() and watches() yield when something is due, and the code that uses them reads like a list of what happens.
import random
from contextlib import aclosing, asynccontextmanager

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


def ceilings():
    ceiling = BASE_S
    while True:
        yield min(ceiling, CAP_S)
        ceiling = min(ceiling * 2, CAP_S)


async def tries(clock, wait_s):
    """Yields once for each try."""
    end = clock() + wait_s
    yield
    for ceiling in ceilings():
        left = end - clock()
        if left <= 0:
            return
        pause = random.uniform(0, ceiling)
        await clock.sleep(min(pause, left))
        yield
        if pause >= left:
            return


async def beats(clock, ttl, ended):
    """Yields when a renewal is due."""
    while not await ended.wait(ttl / 3 * (1 + random.uniform(-0.1, 0.1))):
        yield clock()


async def watches(service, name, over):
    """Yields one watch after the other."""
    while not over.is_set():
        try:
            watch = await service.watch(name)
        except TransportError:
            await over.wait(random.uniform(0, 1.5))
        else:
            yield watch


class LockHandle:
    def __init__(self, tenancy, on_lost):
        self.name = tenancy.grant.name
        self.fencing_token = tenancy.grant.fencing_token
        self._tenancy = tenancy
        self._on_lost = on_lost
        self._open = True

    def is_held(self):
        return self._open and self._tenancy.is_good()

    async def release(self):
        if not self._open:
            return
        if current_task() is not self._tenancy.owner:
            raise RuntimeError(f"the lock {self.name!r} is another task's")
        self._open = False
        self._tenancy.handles.remove(self)
        if not self._tenancy.handles and self._tenancy.is_good():
            self._tenancy.end()
            await self._tenancy.give_back(2)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class Tenancy:
    def __init__(self, client, grant, sent, owner):
        self.client, self.grant, self.owner = client, grant, owner
        self.deadline = sent + grant.ttl
        self.handles = []
        self.ended = Signal()

    def is_good(self):
        return not self.ended.is_set() and self.client.clock() < self.deadline

    def end(self):
        self.ended.set()
        self.client.tenancies.discard(self)

    async def give_back(self, times):
        while times:
            times -= 1
            try:
                await self.client.service.release(self.grant.name, self.grant.ownership_token)
                times = 0
            except TransportError:
                pass

    def lose(self):
        if self.ended.is_set():
            return
        self.end()
        for handle in self.handles:
            handle._open = False
        spawn(self.tell(list(self.handles)))
        self.handles.clear()

    async def tell(self, handles):
        for handle in handles:
            try:
                handle._on_lost and handle._on_lost()
            except Exception:
                continue

    async def keep(self):
        spawn(self.watch_deadline())
        service, grant = self.client.service, self.grant
        async with aclosing(beats(self.client.clock, grant.ttl, self.ended)) as due:
            async for now in due:
                if not self.is_good():
                    return
                try:
                    renewed = await service.renew(grant.name, grant.ownership_token, grant.ttl)
                except TransportError:
                    continue
                if not self.is_good():
                    return
                if not renewed:
                    return self.lose()
                self.deadline = now + grant.ttl

    async def watch_deadline(self):
        while self.is_good():
            await self.ended.wait(max(1e-6, self.deadline - self.client.clock()))
        self.lose()


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self.tenancies = set()

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or wait_s != wait_s or wait_s < 0 or wait_s == float("inf"):
            raise ValueError("wait_s")
        me = current_task()
        if reentrant:
            for tenancy in self.tenancies:
                if tenancy.grant.name == name and tenancy.owner is me and tenancy.is_good():
                    return self.enter(tenancy, on_lost)
        async with aclosing(tries(self.clock, wait_s)) as attempts:
            async for _ in attempts:
                tenancy = await self.try_once(name, ttl_s, me)
                if tenancy is not None:
                    break
            else:
                return None
        self.tenancies.add(tenancy)
        handle = self.enter(tenancy, on_lost)
        spawn(tenancy.keep())
        return handle

    async def try_once(self, name, ttl_s, me):
        sent = self.clock()
        try:
            grant = await self.service.acquire(name, ttl_s)
        except TransportError:
            return None
        if grant is None:
            return None
        tenancy = Tenancy(self, grant, sent, me)
        if tenancy.is_good():
            return tenancy
        spawn(tenancy.give_back(1))
        return None

    def enter(self, tenancy, on_lost):
        handle = LockHandle(tenancy, on_lost)
        tenancy.handles.append(handle)
        return handle

    def on_release(self, name, callback):
        over = Signal()
        current = []

        @asynccontextmanager
        async def taken_back(watch):
            """Whatever happens, the watch is closed by somebody."""
            current.append(watch)
            try:
                yield
            finally:
                if watch in current:
                    current.remove(watch)
                    await close(watch)

        async def close(watch):
            for _ in range(2):
                try:
                    return await watch.close()
                except TransportError:
                    pass

        async def look_out():
            async with aclosing(watches(self.service, name, over)) as each:
                async for watch in each:
                    async with taken_back(watch):
                        if over.is_set():
                            continue
                        if await watch.fired(WATCH_S) and not over.is_set():
                            over.set()
                            current.clear()
                            callback()

        def cancel():
            if not over.is_set():
                over.set()
                while current:
                    spawn(close(current.pop()))

        spawn(look_out())
        return cancel
