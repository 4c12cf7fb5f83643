# Closures over local variables; the client's two methods are made in the constructor and are attributes of the instance.
import random

from leasehold import TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LockHandle:
    def __init__(self, name, fencing_token, is_held, release):
        self.name = name
        self.fencing_token = fencing_token
        self.is_held = is_held
        self.release = release

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


def take_over(service, clock, grant, deadline, owner, gone):
    """Keep this grant from now on. Returns (join, alive); calls gone() when it is over."""
    over = False
    held = {}          # a key for each held handle -> its on_lost
    tasks = []

    def alive():
        return not over and clock() < deadline

    def finish():
        nonlocal over
        over = True
        gone()

    def lose():
        if over:
            return
        finish()
        callbacks = [on_lost for on_lost in held.values() if on_lost is not None]
        held.clear()
        for on_lost in callbacks:
            spawn(run(on_lost))

    async def run(on_lost):
        on_lost()      # what it raises ends this task, and no other

    async def renew():
        nonlocal deadline
        while True:
            await clock.sleep(grant.ttl * (10 + random.uniform(-1, 1)) / 30)
            if not alive():
                return
            sent = clock()
            try:
                renewed = await service.renew(grant.name, grant.ownership_token, grant.ttl)
            except TransportError:
                continue
            if not alive():
                return
            if not renewed:
                return lose()
            deadline = sent + grant.ttl

    async def expire():
        while not over:
            if clock() >= deadline:
                return lose()
            await clock.sleep(max(deadline - clock(), 0.000001))

    def join(on_lost):
        key = object()
        held[key] = on_lost

        def is_held():
            return key in held and alive()

        async def release():
            if key not in held:
                return
            if current_task() is not owner:
                raise RuntimeError("only the task that acquired it may release")
            del held[key]
            if held:
                return
            finish()
            for task in tasks:
                task.cancel()
            await try_twice(lambda: service.release(grant.name, grant.ownership_token))

        return LockHandle(grant.name, grant.fencing_token, is_held, release)

    tasks += [spawn(renew()), spawn(expire())]
    return join, alive


async def try_twice(call):
    for attempt in range(2):
        try:
            return await call()
        except TransportError:
            pass


class LockClient:
    def __init__(self, service, clock):
        newest = {}       # name -> (owner, join, alive)

        async def once(name, ttl_s, owner):
            sent = clock()
            try:
                grant = await service.acquire(name, ttl_s)
            except TransportError:
                return None
            if grant is None:
                return None
            deadline = sent + grant.ttl
            if deadline <= clock():
                spawn(try_twice(lambda: service.release(name, grant.ownership_token)))
                return None

            def gone():
                if newest.get(name) is entry:
                    del newest[name]

            entry = newest[name] = (owner, *take_over(service, clock, grant, deadline, owner, gone))
            return entry

        async def acquire(name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
            if wait_s is None or not 0 <= wait_s <= 1e15:
                raise ValueError("wait_s")
            owner = current_task()
            if reentrant and name in newest:
                who, join, alive = newest[name]
                if who is owner and alive():
                    return join(on_lost)
            until = clock() + wait_s
            ceiling = BASE_S
            while True:
                before = clock()
                entry = await once(name, ttl_s, owner)
                if entry is not None:
                    _, join, _ = entry
                    return join(on_lost)
                now = clock()
                if before >= until or now >= until:
                    return None
                pause = random.uniform(0, min(CAP_S, ceiling))
                ceiling = min(2 * ceiling, CAP_S)
                if now + pause >= until:
                    pause = until - now
                    until = before        # no more after the next
                await clock.sleep(pause)

        def on_release(name, callback):
            stop = None           # what cancel() has to do at this moment
            cancelled = False

            async def go():
                nonlocal stop
                while not cancelled:
                    try:
                        watch = await service.watch(name)
                    except TransportError:
                        await clock.sleep(random.uniform(0.1, 1.0))
                        continue
                    if cancelled:
                        await try_twice(watch.close)
                        return
                    stop = lambda: spawn(try_twice(watch.close))
                    fired = await watch.fired(WATCH_S)
                    stop = None
                    if cancelled:
                        return
                    if fired:
                        return finish()
                    await try_twice(watch.close)

            def finish():
                nonlocal cancelled
                cancelled = True
                callback()

            def cancel():
                nonlocal cancelled
                if not cancelled and stop is not None:
                    stop()
                cancelled = True

            spawn(go())
            return cancel

        self.acquire, self.on_release = acquire, on_release
