# The guard is an async context manager, the attempt a decorated function that turns exceptions into words.
import functools
import random
from contextlib import asynccontextmanager

from leasehold import TransportError, spawn


def in_words(function):
    @functools.wraps(function)
    async def wrapper(*args):
        try:
            return {True: "renewed", False: "rejected"}[bool(await function(*args))]
        except TransportError:
            return "unknown"

    return wrapper


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._sure_until = asked_at + grant.ttl
        self._callbacks = [on_lost]  # emptied by the first end, whichever it is

    @property
    def _late(self):
        return self._clock() >= self._sure_until

    def _end(self, lost):
        if self._callbacks:
            call = self._callbacks.pop()
            if lost:
                call()

    @asynccontextmanager
    async def _guarded(self):
        async def guard():
            while self._callbacks and not self._late:
                await self._clock.sleep(self._sure_until - self._clock())
            self._end(lost=True)

        task = spawn(guard())
        try:
            yield
        finally:
            task.cancel()

    @in_words
    async def _ask(self):
        return await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl)

    async def run(self):
        async with self._guarded():
            while self._callbacks:
                await self._clock.sleep(random.uniform(0.3, 11 / 30) * self._grant.ttl)
                if not self._callbacks:
                    return
                sent = self._clock()
                word = "too late" if self._late else await self._ask()
                if word in ("too late", "rejected") or self._late:
                    self._end(lost=True)
                elif word == "renewed" and self._callbacks:
                    self._sure_until = sent + self._grant.ttl

    def stop(self):
        self._end(lost=False)

    def is_held(self):
        return bool(self._callbacks) and not self._late
