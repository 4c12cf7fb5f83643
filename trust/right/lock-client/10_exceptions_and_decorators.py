# Ends are exceptions: Lost, Ended and Vain are raised where they are noticed and caught in one place; decorators turn calls without an answer into a value and start methods as tasks.
import functools
import math
import random

from leasehold import Cancelled, Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Vain(Exception):
    """This try got nothing."""


class Lost(Exception):
    """The grant is lost."""


class Ended(Exception):
    """The grant was released: nothing left to do."""


class NoAnswer(Exception):
    pass


def background(method):
    """Calling it starts a task."""
    @functools.wraps(method)
    def start(*args, **kwargs):
        return spawn(method(*args, **kwargs))
    return start


def attempts(times):
    """Repeat it at once while no answer comes; then give up without a word."""
    def decorate(method):
        @functools.wraps(method)
        async def repeated(*args):
            for _ in range(times):
                try:
                    return await method(*args)
                except TransportError:
                    continue
            return None
        return repeated
    return decorate


class Grip:
    """A grant in our hands."""

    def __init__(self, client, grant, owner, deadline):
        self.client = client
        self.grant = grant
        self.owner = owner
        self.deadline = deadline
        self.handles = {}           # handle -> on_lost
        self.ended = False
        self.lost = False
        self.reason = Signal()

    def check(self):
        if self.ended:
            raise Ended
        if self.lost or self.client.clock() >= self.deadline:
            raise Lost

    def is_tight(self):
        try:
            self.check()
        except (Ended, Lost):
            return False
        return True

    @background
    async def supervise(self):
        """Start the two who notice an end, wait for the first of them, and do what it means."""
        workers = [self.work(self.renew), self.work(self.wait_for_the_deadline)]
        await self.reason.wait()
        for worker in workers:
            worker.cancel()
        if self.lost:
            self.tell()

    @background
    async def work(self, coroutine_function):
        try:
            await coroutine_function()
        except Lost:
            if not self.ended:
                self.lost = True
                self.client.let_go(self)
        except Ended:
            pass
        self.reason.set()

    async def renew(self):
        clock, grant = self.client.clock, self.grant
        while True:
            await clock.sleep(random.uniform(grant.ttl * 0.9 / 3, grant.ttl * 1.1 / 3))
            self.check()
            sent = clock()
            try:
                renewed = await self.client.service.renew(grant.name, grant.ownership_token, grant.ttl)
            except TransportError:
                self.check()
                continue
            self.check()
            if not renewed:
                raise Lost
            self.deadline = sent + grant.ttl

    async def wait_for_the_deadline(self):
        while True:
            self.check()
            await self.client.clock.sleep(max(self.deadline - self.client.clock(), 1e-6))

    def tell(self):
        callbacks, self.handles = list(self.handles.values()), {}
        for callback in callbacks:
            if callback is not None:
                self.call(callback)

    @background
    async def call(self, callback):
        try:
            callback()
        except Exception:
            pass

    async def drop(self, handle):
        if handle not in self.handles:
            return
        if current_task() is not self.owner:
            raise RuntimeError("this lock is another task's")
        if not self.is_tight():
            return           # lost: it will be told
        del self.handles[handle]
        if not self.handles:
            self.ended = True
            self.reason.set()
            self.client.let_go(self)
            await self.client.give_back(self.grant)


class LockHandle:
    def __init__(self, grip, on_lost):
        self._grip = grip
        grip.handles[self] = on_lost
        self.name = grip.grant.name
        self.fencing_token = grip.grant.fencing_token

    def is_held(self):
        return self in self._grip.handles and self._grip.is_tight()

    async def release(self):
        await self._grip.drop(self)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self._grips = {}

    def let_go(self, grip):
        if self._grips.get(grip.grant.name) is grip:
            self._grips.pop(grip.grant.name)

    @attempts(2)
    async def give_back(self, grant):
        await self.service.release(grant.name, grant.ownership_token)

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if not self._is_length(wait_s):
            raise ValueError("wait_s")
        owner = current_task()
        if reentrant:
            try:
                grip = self._grips[name]
                grip.check()
                if grip.owner is owner:
                    return LockHandle(grip, on_lost)
            except (KeyError, Lost, Ended):
                pass
        try:
            return await self._acquire(name, ttl_s, self.clock() + wait_s, owner, on_lost)
        except Vain:
            return None

    @staticmethod
    def _is_length(wait_s):
        return isinstance(wait_s, (int, float)) and math.isfinite(wait_s) and wait_s >= 0

    async def _acquire(self, name, ttl_s, end, owner, on_lost):
        exponent = 0
        while self.clock() < end:
            try:
                return await self._try(name, ttl_s, owner, on_lost)
            except Vain:
                now = self.clock()
                if now >= end:
                    raise
                pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** exponent))
                exponent = min(exponent + 1, 16)
            if pause >= end - now:
                await self.clock.sleep(end - now)
                break
            await self.clock.sleep(pause)
        return await self._try(name, ttl_s, owner, on_lost)

    async def _try(self, name, ttl_s, owner, on_lost):
        sent = self.clock()
        try:
            grant = await self.service.acquire(name, ttl_s)
        except TransportError as error:
            raise Vain from error
        if grant is None:
            raise Vain
        if sent + grant.ttl <= self.clock():
            spawn(self.give_back(grant))
            raise Vain
        grip = self._grips[name] = Grip(self, grant, owner, sent + grant.ttl)
        handle = LockHandle(grip, on_lost)
        grip.supervise()
        return handle

    def on_release(self, name, callback):
        lookout = Lookout(self.service, self.clock, name, callback)
        lookout.task = lookout.run()
        return lookout.cancel


class Lookout:
    def __init__(self, service, clock, name, callback):
        self.service, self.clock, self.name, self.callback = service, clock, name, callback
        self.done = False
        self.waiting = False      # in the one await where a Cancelled does no harm

    @background
    async def run(self):
        while not self.done:
            try:
                watch = await self.service.watch(self.name)
            except TransportError:
                continue
            try:
                if self.done:
                    raise Ended
                self.waiting = True
                try:
                    fired = await watch.fired(WATCH_S)
                finally:
                    self.waiting = False
                if fired:
                    break
            except (Ended, Cancelled):
                self.done = True
                self.close_in_background(watch)
                return
            await self.close(watch)
        if not self.done:
            self.done = True
            self.callback()

    @attempts(3)
    async def close(self, watch):
        await watch.close()

    @background
    async def close_in_background(self, watch):
        await self.close(watch)

    def cancel(self):
        if not self.done:
            self.done = True
            if self.waiting:
                self.task.cancel()
