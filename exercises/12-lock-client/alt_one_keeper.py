# One keeper task for all grants of a client. It sleeps until something is due, or until it is rung up; attempts run in tasks of their own.
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Record:
    def __init__(self, grant, proof, task, now):
        self.grant = grant
        self.proof = proof  # when the last request that succeeded was sent
        self.task = task
        self.next = now + self.pause()
        self.asking = False
        self.members = {}  # handle: its on_lost

    def pause(self):
        return self.grant.ttl / 3 * (0.9 + 0.2 * random.random())

    @property
    def deadline(self):
        return self.proof + self.grant.ttl


class LockHandle:
    def __init__(self, client, token, name, fencing_token):
        self._client = client
        self._token = token
        self.name = name
        self.fencing_token = fencing_token

    def is_held(self):
        record = self._client._records.get(self._token)
        return record is not None and self in record.members and self._client._clock() < record.deadline

    async def release(self):
        await self._client._release(self, self._token)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        await self.release()
        return False


class LockClient:
    def __init__(self, service, clock):
        self._service = service
        self._clock = clock
        self._records = {}  # by ownership token
        self._bell = Signal()
        self._keeper = None

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        try:
            bounded = 0 <= wait_s < float("inf")
        except TypeError:
            bounded = False
        if not bounded:
            raise ValueError(wait_s)
        me, now = current_task(), self._clock()
        if reentrant:
            mine = [r for r in self._records.values() if (r.grant.name, r.task) == (name, me) and now < r.deadline]
            if mine:
                return self._join(mine[0], on_lost)
        end, n = now + wait_s, 0
        while True:
            record = await self._once(name, ttl_s, me)
            if record:
                return self._join(record, on_lost)
            rest = end - self._clock()
            if rest <= 0:
                return None
            await self._clock.sleep(min(rest, random.random() * min(CAP_S, BASE_S * 2 ** min(n, 20))))
            n += 1

    async def _once(self, name, ttl_s, me):
        sent = self._clock()
        try:
            grant = await self._service.acquire(name, ttl_s)
        except TransportError:
            return None
        if grant is None:
            return None
        now = self._clock()
        if now - sent >= grant.ttl:
            await self._give_back(grant)
            return None
        record = self._records[grant.ownership_token] = Record(grant, sent, me, now)
        return record

    def _join(self, record, on_lost):
        handle = LockHandle(self, record.grant.ownership_token, record.grant.name, record.grant.fencing_token)
        record.members[handle] = on_lost
        if self._keeper is None or self._keeper.done():
            self._keeper = spawn(self._keep())
        self._bell.set()
        return handle

    async def _release(self, handle, token):
        record = self._records.get(token)
        if record is None or handle not in record.members:
            return
        if record.task is not current_task():
            raise RuntimeError("not the owner")
        del record.members[handle]
        if not record.members:
            del self._records[token]
            await self._give_back(record.grant)

    async def _give_back(self, grant):
        for _ in range(2):
            try:
                await self._service.release(grant.name, grant.ownership_token)
                return
            except TransportError:
                pass

    async def _keep(self):
        while self._records:
            self._bell = Signal()
            now = self._clock()
            for token, record in list(self._records.items()):
                if now >= record.deadline:
                    self._lose(token)
                elif now >= record.next and not record.asking:
                    record.asking = True
                    spawn(self._ask(token, record))
            dues = [r.deadline if r.asking else min(r.next, r.deadline) for r in self._records.values()]
            if dues:
                await self._bell.wait(max(0, min(dues) - self._clock()))

    async def _ask(self, token, record):
        sent = self._clock()
        if self._records.get(token) is not record:
            return
        if sent >= record.deadline:
            return self._lose(token)
        try:
            answer = await self._service.renew(record.grant.name, token, record.grant.ttl)
        except TransportError:
            answer = None
        record.asking = False
        if self._records.get(token) is not record:
            return
        if answer is False:
            self._lose(token)
        elif answer:
            record.proof = sent
            record.next = self._clock() + record.pause()
        else:
            record.next = self._clock() + record.pause() / 4
        self._bell.set()

    def _lose(self, token):
        record = self._records.pop(token, None)
        if record is None:
            return
        problems = []
        for tell in list(record.members.values()):
            try:
                if tell:
                    tell()
            except Exception as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def on_release(self, name, callback):
        wanted = [True]
        state = {"watch": None}

        async def close():
            watch, state["watch"] = state["watch"], None
            if watch:
                try:
                    await watch.close()
                except TransportError:
                    pass

        async def listen():
            while wanted:
                try:
                    state["watch"] = await self._service.watch(name)
                    if wanted and await state["watch"].fired(WATCH_S):
                        if wanted:
                            wanted.clear()
                            callback()
                        return
                    await close()
                except TransportError:
                    await self._clock.sleep(WATCH_S / 5)

        spawn(listen())

        def cancel():
            if wanted:
                wanted.clear()
                spawn(close())

        return cancel
