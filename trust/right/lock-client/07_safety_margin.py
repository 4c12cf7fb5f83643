# Everything counts to a moment half a second before the deadline, renewals are planned from sending to sending, and one record with slots per grant is driven by one task per concern.
import math
import random
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0
MARGIN_S = 0.5


@dataclass(slots=True, eq=False)
class Record:
    grant: Any
    owner: Any
    sent: float
    until: float = 0.0
    handles: list = field(default_factory=list)
    ended: Any = None

    def __post_init__(self):
        self.ended = Signal()
        self.prolong(self.sent)

    def prolong(self, sent):
        ttl = self.grant.ttl
        self.sent = sent
        self.until = sent + ttl - min(MARGIN_S, ttl / 20)


@dataclass(slots=True, eq=False)
class LockHandle:
    _client: Any
    _record: Record
    _on_lost: Optional[Callable]
    _state: str = "held"

    @property
    def name(self):
        return self._record.grant.name

    @property
    def fencing_token(self):
        return self._record.grant.fencing_token

    def is_held(self):
        return self._state == "held" and self._client._runs(self._record)

    async def release(self):
        if current_task() is not self._record.owner:
            raise RuntimeError(f"release of {self.name} by another task than its owner")
        if self._state == "held":
            self._state = "released"
            await self._client._leave(self._record, self)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()
        return None


class LockClient:
    def __init__(self, service, clock):
        self._service = service
        self._clock = clock
        self._records = []

    def _runs(self, record):
        return not record.ended.is_set() and self._clock() < record.until

    def _find(self, name, owner):
        for record in self._records:
            if record.grant.name == name and record.owner is owner and self._runs(record):
                return record
        return None

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        self._check(wait_s)
        owner = current_task()
        record = self._find(name, owner) if reentrant else None
        if record is None:
            record = await self._wait_for(name, ttl_s, owner, wait_s)
        if record is None:
            return None
        handle = LockHandle(self, record, on_lost)
        record.handles.append(handle)
        return handle

    @staticmethod
    def _check(wait_s):
        try:
            good = wait_s >= 0 and math.isfinite(wait_s)
        except TypeError:
            good = False
        if not good:
            raise ValueError(f"wait_s can't be {wait_s!r}")

    async def _wait_for(self, name, ttl_s, owner, wait_s):
        end = self._clock() + wait_s
        exponent = 0
        while True:
            left_before = end - self._clock()
            record, answered = await self._ask(name, ttl_s, owner)
            if record is not None or left_before <= 0 or answered >= end:
                return record
            left = max(0.0, end - self._clock())
            pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** exponent))
            exponent = min(exponent + 1, 10)
            if pause >= left:
                await self._clock.sleep(left)
                record, _ = await self._ask(name, ttl_s, owner)
                return record
            await self._clock.sleep(pause)

    async def _ask(self, name, ttl_s, owner):
        sent = self._clock()
        try:
            grant = await self._service.acquire(name, ttl_s)
        except TransportError:
            grant = None
        answered = self._clock()
        if grant is None:
            return None, answered
        if answered - sent >= grant.ttl:
            await self._tell_service(name, grant.ownership_token)
            return None, answered
        record = Record(grant, owner, sent)
        self._records.append(record)
        spawn(self._keep(record))
        spawn(self._guard(record))
        return record, answered

    async def _keep(self, record):
        """Renew. The next one is planned from when the last one was sent."""
        while True:
            due = record.sent + record.grant.ttl / 3 * random.triangular(0.9, 1.1)
            failed_at = None
            while True:
                if failed_at is not None:
                    # Again soon.
                    due = failed_at + record.grant.ttl / 10 * random.triangular(0.9, 1.1)
                if await record.ended.wait(max(due - self._clock(), 1e-6)):
                    return
                if not self._runs(record):
                    return
                sent = self._clock()
                try:
                    answer = await self._service.renew(
                        record.grant.name, record.grant.ownership_token, record.grant.ttl)
                except TransportError:
                    failed_at = self._clock()
                    continue
                break
            if not self._runs(record):
                return
            if not answer:
                self._lose(record)
                return
            record.prolong(sent)

    async def _guard(self, record):
        while self._runs(record):
            await record.ended.wait(max(record.until - self._clock(), 1e-6))
        if not record.ended.is_set():
            self._lose(record)

    def _end(self, record):
        record.ended.set()
        self._records.remove(record)

    def _lose(self, record):
        self._end(record)
        lost = [handle for handle in record.handles if handle._state == "held"]
        for handle in lost:
            handle._state = "lost"
        for handle in lost:
            if handle._on_lost is not None:
                spawn(self._call(handle._on_lost))

    async def _call(self, function):
        try:
            function()
        except Exception:
            pass

    async def _leave(self, record, handle):
        record.handles.remove(handle)
        if record.handles or record.ended.is_set():
            return
        self._end(record)
        await self._tell_service(record.grant.name, record.grant.ownership_token)

    async def _tell_service(self, name, token):
        for _ in range(2):
            try:
                await self._service.release(name, token)
                break
            except TransportError:
                pass

    def on_release(self, name, callback):
        over = Signal()
        spawn(self._look_out(name, callback, over))
        return over.set

    async def _look_out(self, name, callback, over):
        """Waits for two things at once: the watch, in a helper, and the cancellation."""
        while not over.is_set():
            try:
                watch = await self._service.watch(name)
            except TransportError:
                await over.wait(0.25)
                continue
            word = Word(watch, over)
            if not over.is_set():
                spawn(word.listen())
                await word.came.wait()
            if word.fired and not over.is_set():
                over.set()
                callback()
                return
            await self._close(watch)

    async def _close(self, watch):
        for pause in (0.0, 0.5, 1.0, 2.0):
            if pause:
                await self._clock.sleep(pause)
            try:
                await watch.close()
                return
            except TransportError:
                pass


class Word:
    def __init__(self, watch, over):
        self.watch, self.over = watch, over
        self.fired = False
        self.came = Signal()

    async def listen(self):
        spawn(self.hear_the_end())
        self.fired = await self.watch.fired(WATCH_S)
        self.came.set()

    async def hear_the_end(self):
        while not self.came.is_set():
            if await self.over.wait(WATCH_S):
                self.came.set()
