# The grant is a coroutine: it ends by an exception, whoever holds a handle hears of it. Counts, not lists; releases are noted on the handle.
import itertools
import random

from leasehold import Cancelled, Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LeaseLost(Exception):
    pass


class LockHandle:
    def __init__(self, session, on_lost):
        self.name = session.grant.name
        self.fencing_token = session.grant.fencing_token
        self.session = session
        self.on_lost = on_lost or (lambda: None)
        self.mine = True

    def is_held(self):
        return self.mine and self.session.is_alive()

    async def release(self):
        session = self.session
        if not self.mine or session.is_over:
            return
        if current_task() is not session.owner:
            raise PermissionError_(self.name)
        self.mine = False
        session.count -= 1
        if session.count == 0:
            await session.close()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class PermissionError_(RuntimeError):
    def __init__(self, name):
        super().__init__(f"the lock {name} is another task's")


class Session:
    def __init__(self, service, clock, grant, asked_at):
        self.service, self.clock, self.grant = service, clock, grant
        self.owner = current_task()
        self.expires_at = asked_at + grant.ttl
        self.handles = []
        self.count = 0
        self.is_over = False
        self.moved = Signal()
        self.body = spawn(self.run())

    def is_alive(self):
        return not self.is_over and self.expires_at > self.clock()

    def enter(self, on_lost):
        handle = LockHandle(self, on_lost)
        self.handles.append(handle)
        self.count += 1
        return handle

    async def close(self):
        self.is_over = True
        self.body.cancel()
        for _ in range(2):
            try:
                return await self.service.release(self.grant.name, self.grant.ownership_token)
            except TransportError:
                continue

    async def run(self):
        beat = spawn(self.beat())
        try:
            while self.is_alive():
                # Until the deadline, unless the heart stops before.
                if await self.moved.wait(self.expires_at - self.clock()):
                    break
            beat.cancel()
        except Cancelled:
            beat.cancel()
            raise
        self.is_over = True
        for handle in self.handles:
            if handle.mine:
                try:
                    handle.on_lost()
                except Exception:
                    pass

    async def beat(self):
        try:
            for pause in itertools.repeat(self.grant.ttl / 3):
                await self.clock.sleep(random.uniform(0.92, 1.08) * pause)
                await self.renew()
        except LeaseLost:
            self.moved.set()

    async def renew(self):
        while True:
            asked_at = self.clock()
            if self.is_over or asked_at >= self.expires_at:
                raise LeaseLost
            try:
                if not await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl):
                    raise LeaseLost
            except TransportError:
                await self.clock.sleep(self.grant.ttl / 12)
                continue
            self.expires_at = asked_at + self.grant.ttl
            return


class LockClient:
    def __init__(self, service, clock):
        self._service, self._clock = service, clock
        self._sessions = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or wait_s != wait_s or wait_s < 0 or wait_s == float("inf"):
            raise ValueError(f"not a bound: {wait_s}")
        deadline = self._clock() + wait_s
        place = (current_task(), name)
        session = self._sessions.get(place)
        if not (reentrant and session and session.is_alive()):
            session = await self._begin(name, ttl_s, deadline)
            if session is None:
                return None
            self._sessions[place] = session
        return session.enter(on_lost)

    async def _begin(self, name, ttl_s, deadline):
        for pause in self._pauses(deadline):
            if pause is not None:
                await self._clock.sleep(pause)
            asked_at = self._clock()
            try:
                grant = await self._service.acquire(name, ttl_s)
                if grant and self._clock() < asked_at + grant.ttl:
                    return Session(self._service, self._clock, grant, asked_at)
                if grant:
                    await self._service.release(name, grant.ownership_token)
            except TransportError:
                pass

    def _pauses(self, deadline):
        """What to sleep before each try; None before the first."""
        yield None
        most = BASE_S
        while (left := deadline - self._clock()) > 0:
            yield min(left, most * random.random())
            most = min(2 * most, CAP_S)

    def on_release(self, name, callback):
        stop = Signal()
        spawn(self._listen(name, callback, stop))
        return stop.set

    async def _listen(self, name, callback, stop):
        while not stop.is_set():
            try:
                watch = await self._service.watch(name)
            except TransportError:
                await stop.wait(WATCH_S / 2)
                continue
            news = spawn(watch.fired(WATCH_S))
            spawn(self._ring(news, ring := Signal()))
            spawn(self._ring(spawn(stop.wait(WATCH_S)), ring))
            await ring.wait(WATCH_S)
            if news.done() and await news and not stop.is_set():
                stop.set()
                callback()
                return
            news.cancel()
            try:
                await watch.close()
            except TransportError:
                pass

    async def _ring(self, task, ring):
        try:
            await task
        except Cancelled:
            pass
        ring.set()
