# The client is put together from three mixins, one that waits, one that keeps and one that looks out; each knows the others only through a method name.
import abc
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Base:
    def __init__(self, service, clock):
        super().__init__()
        self.service = service
        self.clock = clock

    async def _ask(self, method, *args, times=1):
        """The answer, or NotImplemented if none came."""
        for _ in range(times):
            try:
                return await method(*args)
            except TransportError:
                pass
        return NotImplemented


class Waiter(Base, abc.ABC):
    @abc.abstractmethod
    def _join(self, name, task, on_lost): ...

    @abc.abstractmethod
    def _take(self, grant, deadline, task, on_lost): ...

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not 0 <= wait_s < float("inf"):
            raise ValueError(f"a wait of {wait_s} s")
        task = current_task()
        if reentrant:
            handle = self._join(name, task, on_lost)
            if handle is not None:
                return handle
        start = self.clock()
        for moment in self._moments(wait_s):
            # The first one is 0.
            pause = start + moment() - self.clock()
            if pause > 0:
                await self.clock.sleep(pause)
            sent = self.clock()
            grant = await self._ask(self.service.acquire, name, ttl_s)
            if grant is None or grant is NotImplemented:
                continue
            if sent + grant.ttl > self.clock():
                return self._take(grant, sent + grant.ttl, task, on_lost)
            spawn(self._ask(self.service.release, name, grant.ownership_token))
        return None

    def _moments(self, wait_s):
        """When to try, in seconds after the start, asked for just before each. After the end there is nothing."""
        began = self.clock()
        yield lambda: 0.0
        longest = min(BASE_S, CAP_S)
        while True:
            gone = self.clock() - began
            if gone >= wait_s:
                return
            wake = gone + random.uniform(0, longest)
            longest = min(2 * longest, CAP_S)
            yield lambda: min(wake, wait_s)
            if wake >= wait_s:
                return


class Keeper(Base):
    def __init__(self, *args):
        super().__init__(*args)
        self._kept = {}

    def _take(self, grant, deadline, task, on_lost):
        kept = Kept(grant, deadline, task)
        self._kept[grant.name] = kept
        spawn(self._renewals(kept))
        spawn(self._deadline(kept))
        return self._hand(kept, on_lost)

    def _join(self, name, task, on_lost):
        kept = self._kept.get(name)
        if kept is not None and kept.task is task and self._good(kept):
            return self._hand(kept, on_lost)
        return None

    def _hand(self, kept, on_lost):
        handle = LockHandle(self, kept)
        kept.on_lost[handle] = on_lost
        return handle

    def _good(self, kept):
        return kept.runs and self.clock() < kept.deadline

    def _end(self, kept):
        kept.runs = False
        kept.end.set()
        if self._kept.get(kept.grant.name) is kept:
            del self._kept[kept.grant.name]

    def _lose(self, kept):
        if kept.runs:
            self._end(kept)
            told, kept.on_lost = kept.on_lost, {}
            for on_lost in told.values():
                if on_lost is not None:
                    spawn(self._tell(on_lost))

    async def _tell(self, on_lost):
        try:
            on_lost()
        except Exception as error:
            del error

    async def _leave(self, kept, handle):
        if handle not in kept.on_lost:
            return
        if kept.task is not current_task():
            raise RuntimeError("another task holds this")
        del kept.on_lost[handle]
        if not kept.on_lost:
            self._end(kept)
            await self._ask(self.service.release, kept.grant.name, kept.grant.ownership_token, times=2)

    async def _renewals(self, kept):
        grant = kept.grant
        while not await kept.end.wait(grant.ttl / 3 + random.uniform(-1, 1) * grant.ttl / 30):
            if not self._good(kept):
                return
            sent = self.clock()
            answer = await self._ask(self.service.renew, grant.name, grant.ownership_token, grant.ttl)
            if not self._good(kept) or answer is NotImplemented:
                continue
            if answer:
                kept.deadline = sent + grant.ttl
            else:
                self._lose(kept)

    async def _deadline(self, kept):
        while self._good(kept):
            await kept.end.wait(max(kept.deadline - self.clock(), 1e-6))
        self._lose(kept)


class Kept:
    def __init__(self, grant, deadline, task):
        self.grant, self.deadline, self.task = grant, deadline, task
        self.on_lost = {}
        self.runs = True
        self.end = Signal()


class Lookout(Base):
    def on_release(self, name, callback):
        look = {"cancelled": False, "watch": None}
        spawn(self._look(name, callback, look))

        def cancel():
            look["cancelled"] = True
            watch, look["watch"] = look["watch"], None
            if watch is not None:
                spawn(self._ask(watch.close, times=3))

        return cancel

    async def _look(self, name, callback, look):
        while not look["cancelled"]:
            watch = await self._ask(self.service.watch, name)
            if watch is NotImplemented:
                continue
            if look["cancelled"]:
                await self._ask(watch.close, times=3)
                return
            look["watch"] = watch
            fired = await watch.fired(WATCH_S)
            if look["cancelled"]:
                return
            look["watch"] = None
            if fired:
                look["cancelled"] = True
                callback()
                return
            await self._ask(watch.close, times=2)


class LockClient(Keeper, Waiter, Lookout):
    pass


class LockHandle:
    def __init__(self, client, kept):
        self.__client, self.__kept = client, kept

    name = property(lambda self: self.__kept.grant.name)
    fencing_token = property(lambda self: self.__kept.grant.fencing_token)

    def is_held(self):
        return self in self.__kept.on_lost and self.__client._good(self.__kept)

    async def release(self):
        await self.__client._leave(self.__kept, self)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()
