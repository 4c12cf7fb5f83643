# Beginner's code: plain attributes, flags that are looked at after every await, many comments, a dict of lists, and a last try even when the one before went over the end of the wait.
import random

from leasehold import TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LockHandle:
    def __init__(self, client, grant_info, on_lost):
        self.client = client
        self.info = grant_info
        self.name = grant_info.name
        self.fencing_token = grant_info.fencing_token
        self.on_lost = on_lost
        # "held", "released" or "lost"
        self.state = "held"

    def is_held(self):
        if self.state != "held":
            return False
        if self.info.is_over:
            return False
        # Nobody may have noticed yet.
        if self.client.clock() >= self.info.deadline:
            return False
        return True

    async def release(self):
        # Twice is fine.
        if self.state == "released":
            return
        if self.state == "lost":
            return
        # First look ...
        if current_task() != self.info.owner:
            raise RuntimeError("you are not the task that acquired this lock")
        # ... then change.
        self.state = "released"
        # Is there another one?
        for other in self.info.handles:
            if other.state == "held":
                return
        # This was the last one.
        self.info.is_over = True
        self.client.forget(self.info)
        try:
            await self.client.service.release(self.name, self.info.ownership_token)
        except TransportError:
            # Nobody knows whether it was done. It ends by itself.
            pass

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()
        return False


class GrantInfo:
    """What we know about a grant."""

    def __init__(self, grant, owner, sent):
        self.name = grant.name
        self.fencing_token = grant.fencing_token
        self.ownership_token = grant.ownership_token
        self.ttl = grant.ttl
        self.owner = owner
        self.deadline = sent + grant.ttl
        self.is_over = False
        self.handles = []


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        # name -> list of GrantInfo that are not over
        self.grants = {}

    def forget(self, info):
        infos = self.grants.get(info.name, [])
        if info in infos:
            infos.remove(info)

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        # Is wait_s a good number?
        if wait_s is None:
            raise ValueError("wait_s must not be None")
        if wait_s != wait_s:
            raise ValueError("wait_s must not be NaN")
        if wait_s < 0:
            raise ValueError("wait_s must not be negative")
        if wait_s == float("inf"):
            raise ValueError("wait_s must not be infinite")

        me = current_task()

        # Do we hold it already?
        if reentrant:
            for info in self.grants.get(name, []):
                if info.owner == me and not info.is_over and self.clock() < info.deadline:
                    handle = LockHandle(self, info, on_lost)
                    info.handles.append(handle)
                    return handle

        end = self.clock() + wait_s
        n = 0
        this_is_the_last_try = (wait_s == 0)
        while True:
            # Try.
            grant = None
            sent = self.clock()
            try:
                grant = await self.service.acquire(name, ttl_s)
            except TransportError:
                grant = None
            if grant is not None:
                info = GrantInfo(grant, me, sent)
                if self.clock() < info.deadline:
                    # We have it.
                    handle = LockHandle(self, info, on_lost)
                    info.handles.append(handle)
                    if name not in self.grants:
                        self.grants[name] = []
                    self.grants[name].append(info)
                    spawn(self.renew_again_and_again(info))
                    spawn(self.look_at_the_deadline(info))
                    return handle
                # Too late. Give it back.
                try:
                    await self.service.release(name, grant.ownership_token)
                except TransportError:
                    pass
            if this_is_the_last_try:
                return None

            # Sleep. The longest sleep is 0.5, 1, 2, 4, 4, 4, ... seconds.
            if n < 10:
                longest = min(CAP_S, BASE_S * 2 ** n)
            else:
                longest = CAP_S
            n = n + 1
            pause = random.uniform(0, longest)
            left = end - self.clock()
            if pause >= left:
                pause = left
                this_is_the_last_try = True
            if pause > 0:
                await self.clock.sleep(pause)

    async def renew_again_and_again(self, info):
        while True:
            # A third, and up to a tenth of it more or less.
            third = info.ttl / 3
            pause = third + third * random.randint(-10, 10) / 100
            await self.clock.sleep(pause)
            # Is there anything left to do?
            if info.is_over:
                return
            if self.clock() >= info.deadline:
                return
            sent = self.clock()
            try:
                answer = await self.service.renew(info.name, info.ownership_token, info.ttl)
            except TransportError:
                # Again after the usual pause.
                continue
            if info.is_over:
                return
            if self.clock() >= info.deadline:
                # The answer came too late, whatever it says.
                return
            if answer:
                info.deadline = sent + info.ttl
            else:
                self.it_is_lost(info)
                return

    async def look_at_the_deadline(self, info):
        while not info.is_over:
            left = info.deadline - self.clock()
            if left <= 0:
                self.it_is_lost(info)
                return
            if left < 0.000001:
                left = 0.000001
            await self.clock.sleep(left)

    def it_is_lost(self, info):
        info.is_over = True
        self.forget(info)
        # First all of them end ...
        to_tell = []
        for handle in info.handles:
            if handle.state == "held":
                handle.state = "lost"
                to_tell.append(handle)
        # ... then they are told. We are in a task of our own here.
        for handle in to_tell:
            if handle.on_lost is not None:
                try:
                    handle.on_lost()
                except Exception as e:
                    print("on_lost raised", e)

    def on_release(self, name, callback):
        waiter = ReleaseWaiter(self, name, callback)
        spawn(waiter.run())
        return waiter.cancel


class ReleaseWaiter:
    def __init__(self, client, name, callback):
        self.client = client
        self.name = name
        self.callback = callback
        self.cancelled = False
        self.called = False
        self.watch = None

    async def run(self):
        while not self.cancelled:
            try:
                watch = await self.client.service.watch(self.name)
            except TransportError:
                # Again in a second.
                await self.client.clock.sleep(1)
                continue
            if self.cancelled:
                # We don't need it any more.
                await self.close(watch)
                return
            self.watch = watch
            fired = await watch.fired(WATCH_S)
            if self.cancelled:
                # cancel() closes it.
                return
            self.watch = None
            if fired:
                self.called = True
                self.callback()
                return
            # Perhaps it got lost. Take it back and leave another one.
            await self.close(watch)

    async def close(self, watch):
        closed = False
        tries = 0
        while not closed and tries < 5:
            tries = tries + 1
            try:
                await watch.close()
                closed = True
            except TransportError:
                await self.client.clock.sleep(0.5)

    def cancel(self):
        if self.cancelled or self.called:
            return
        self.cancelled = True
        if self.watch is not None:
            spawn(self.close(self.watch))
