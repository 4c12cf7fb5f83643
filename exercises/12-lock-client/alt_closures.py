# No classes but those that the task names: a grant is a dict, its tasks are functions inside a function, two failures in a row and it is lost.
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


class LockClient:
    def __init__(self, service, clock):
        self.service, self.clock = service, clock
        self.grants = []

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if type(wait_s) not in (int, float) or not (0 <= wait_s <= 10**12):
            raise ValueError(f"wait_s={wait_s!r}")
        end = self.clock() + wait_s
        owner = current_task()
        for grant in self.grants:
            if reentrant and grant["name"] == name and grant["owner"] is owner and self.clock() < grant["until"]:
                return self.handle(grant, on_lost)
        tries = 0
        while (grant := await self.one_try(name, ttl_s, owner)) is None:
            left = end - self.clock()
            if not left > 0:
                return None
            tries += 1
            await self.clock.sleep(min(left, random.uniform(0, min(CAP_S, BASE_S * 2**tries))))
            if tries > 30:
                tries = 30
        return self.handle(grant, on_lost)

    async def one_try(self, name, ttl_s, owner):
        sent = self.clock()
        try:
            given = await self.service.acquire(name, ttl_s)
            if given is None:
                return None
            if sent + given.ttl <= self.clock():
                await self.service.release(name, given.ownership_token)
                return None
        except TransportError:
            return None
        grant = {
            "name": name, "given": given, "owner": owner, "until": sent + given.ttl, "handles": {}, "tasks": [],
        }
        self.grants.append(grant)
        grant["tasks"] = [spawn(self.heart(grant)), spawn(self.alarm(grant))]
        return grant

    def handle(self, grant, on_lost):
        key = object()
        grant["handles"][key] = on_lost

        def is_held():
            return key in grant["handles"] and self.clock() < grant["until"]

        async def release():
            if key not in grant["handles"]:
                return
            if current_task() is not grant["owner"]:
                raise RuntimeError("another task's handle")
            del grant["handles"][key]
            if not grant["handles"]:
                self.forget(grant)
                try:
                    await self.service.release(grant["name"], grant["given"].ownership_token)
                except TransportError:
                    pass

        return LockHandle(grant["name"], grant["given"].fencing_token, is_held, release)

    def forget(self, grant):
        self.grants = [other for other in self.grants if other is not grant]
        for task in grant["tasks"]:
            task.cancel()

    async def heart(self, grant):
        given, failures = grant["given"], 0
        while failures < 2:
            await self.clock.sleep(given.ttl / 3 * random.triangular(0.9, 1.1) / (1 + failures))
            sent = self.clock()
            if sent >= grant["until"]:
                break
            try:
                renewed = await self.service.renew(given.name, given.ownership_token, given.ttl)
            except TransportError:
                failures += 1
                continue
            if not renewed:
                break
            failures, grant["until"] = 0, sent + given.ttl
        self.lost(grant)

    async def alarm(self, grant):
        while self.clock() < grant["until"]:
            await self.clock.sleep(grant["until"] - self.clock())
        self.lost(grant)

    def lost(self, grant):
        if all(other is not grant for other in self.grants):
            return
        told, grant["handles"] = list(grant["handles"].values()), {}
        self.forget(grant)

        def tell():
            try:
                while told:
                    on_lost = told.pop()
                    if on_lost is not None:
                        on_lost()
            finally:
                if told:
                    tell()

        tell()

    def on_release(self, name, callback):
        wanted, listens = [callback], []

        async def listen():
            while wanted:
                try:
                    watch = await self.service.watch(name)
                except TransportError:
                    await self.clock.sleep(1)
                    continue
                fired = False
                try:
                    listens.append(True)
                    fired = bool(wanted) and await watch.fired(WATCH_S)
                finally:
                    listens.clear()
                    if not fired:
                        try:
                            await watch.close()
                        except TransportError:
                            pass
                if fired and wanted:
                    wanted.pop()()

        task = spawn(listen())

        def cancel():
            wanted.clear()
            # While it listens it may be woken; while its request is under way it must hear the answer.
            if listens:
                task.cancel()

        return cancel
