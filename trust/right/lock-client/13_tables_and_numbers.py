# The client keeps everything in plain dicts of plain dicts; a handle is a number with a client, and tasks are given numbers and look up what is left after each await.
import itertools
import random

from leasehold import TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class LockHandle:
    def __init__(self, client, number, name, fencing_token):
        self._client, self._number = client, number
        self.name, self.fencing_token = name, fencing_token

    def is_held(self):
        return self._client._is_held(self._number)

    async def release(self):
        await self._client._release(self._number)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self._client._release(self._number)


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self._next = itertools.count(1).__next__
        self._grants = {}     # number -> {"name", "token", "fencing", "ttl", "owner", "deadline"}
        self._handles = {}    # number -> {"grant": number, "on_lost": function}: only held ones
        self._owners = {}     # number of a handle -> its task, for ever: who may release
        self._wishes = {}     # number -> {"name", "callback", "watch"}

    # -- grants and handles --

    def _alive(self, grant):
        return grant in self._grants and self.clock() < self._grants[grant]["deadline"]

    def _handles_of(self, grant):
        return [number for number, handle in self._handles.items() if handle["grant"] == grant]

    def _new_handle(self, grant, on_lost):
        number = self._next()
        record = self._grants[grant]
        self._handles[number] = {"grant": grant, "on_lost": on_lost}
        self._owners[number] = record["owner"]
        return LockHandle(self, number, record["name"], record["fencing"])

    def _is_held(self, number):
        return number in self._handles and self._alive(self._handles[number]["grant"])

    async def _release(self, number):
        if current_task() is not self._owners[number]:
            raise RuntimeError("a handle is released by the task that acquired it")
        if number not in self._handles:
            return
        grant = self._handles.pop(number)["grant"]
        if self._handles_of(grant):
            return
        record = self._grants.pop(grant)
        for _ in range(2):
            try:
                await self.service.release(record["name"], record["token"])
            except TransportError:
                continue
            return

    def _lose(self, grant):
        if self._grants.pop(grant, None) is None:
            return
        lost = [self._handles.pop(number) for number in self._handles_of(grant)]
        for handle in lost:
            if handle["on_lost"] is not None:
                spawn(self._tell(handle["on_lost"]))

    async def _tell(self, function):
        try:
            function()
        except Exception:
            pass

    async def _renew(self, grant):
        while grant in self._grants:
            ttl = self._grants[grant]["ttl"]
            await self.clock.sleep(ttl / 3 * (0.9 + 0.2 * random.random()))
            if not self._alive(grant):
                return
            record, sent = self._grants[grant], self.clock()
            try:
                answer = await self.service.renew(record["name"], record["token"], ttl)
            except TransportError:
                answer = None
            if not self._alive(grant):
                return
            if answer is False:
                self._lose(grant)
            elif answer:
                record["deadline"] = sent + ttl

    async def _expire(self, grant):
        while self._alive(grant):
            await self.clock.sleep(max(1e-6, self._grants[grant]["deadline"] - self.clock()))
        self._lose(grant)

    # -- waiting --

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if type(wait_s) not in (int, float) or not 0 <= wait_s < float("inf"):
            raise ValueError("wait_s has to be a number of seconds, 0 or more")
        owner = current_task()
        if reentrant:
            for grant, record in self._grants.items():
                if (record["name"], record["owner"]) == (name, owner) and self._alive(grant):
                    return self._new_handle(grant, on_lost)
        times = {"end": self.clock() + wait_s, "ceiling": BASE_S}
        while times is not None:
            sent = self.clock()
            try:
                answer = await self.service.acquire(name, ttl_s)
            except TransportError:
                answer = None
            answered = self.clock()
            if answer is not None and answered < sent + answer.ttl:
                grant = self._next()
                self._grants[grant] = {
                    "name": name, "token": answer.ownership_token, "fencing": answer.fencing_token,
                    "ttl": answer.ttl, "owner": owner, "deadline": sent + answer.ttl,
                }
                spawn(self._renew(grant))
                spawn(self._expire(grant))
                return self._new_handle(grant, on_lost)
            if answer is not None:
                try:
                    await self.service.release(name, answer.ownership_token)
                except TransportError:
                    pass
            times = await self._pause(times, sent, answered)
        return None

    async def _pause(self, times, sent, answered):
        """Sleep. Returns what the next pause needs, or None if there is to be no further try."""
        if sent >= times["end"] or answered >= times["end"]:
            return None
        left = max(0.0, times["end"] - self.clock())
        pause = random.uniform(0, min(CAP_S, times["ceiling"]))
        if pause < left:
            await self.clock.sleep(pause)
            return {"end": times["end"], "ceiling": min(CAP_S, 2 * times["ceiling"])}
        await self.clock.sleep(left)
        return {"end": self.clock(), "ceiling": CAP_S}

    # -- looking out --

    def on_release(self, name, callback):
        number = self._next()
        self._wishes[number] = {"name": name, "callback": callback, "watch": None}
        spawn(self._look_out(number))

        def cancel():
            wish = self._wishes.pop(number, None)
            if wish is not None and wish["watch"] is not None:
                spawn(self._close(wish["watch"]))

        return cancel

    async def _look_out(self, number):
        while number in self._wishes:
            try:
                watch = await self.service.watch(self._wishes[number]["name"])
            except TransportError:
                continue
            if number not in self._wishes:
                await self._close(watch)
                break
            self._wishes[number]["watch"] = watch
            fired = await watch.fired(WATCH_S)
            if number not in self._wishes:
                break
            self._wishes[number]["watch"] = None
            if fired:
                self._wishes.pop(number)["callback"]()
                break
            await self._close(watch)

    async def _close(self, watch):
        try:
            await watch.close()
        except TransportError:
            try:
                await watch.close()
            except TransportError:
                pass
