# The state is a descriptor that lets nothing leave an end state, news are dispatched by type, and an attempt is an awaitable object.
from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property, singledispatchmethod
from typing import Callable, Protocol

from leasehold import TransportError, spawn


class Service(Protocol):
    async def renew(self, name: str, ownership_token: str, ttl: float) -> bool: ...


class OneWay:
    """An attribute that leaves its first value once."""

    def __init__(self, first):
        self.first = first

    def __set_name__(self, owner, name):
        self.slot = "_one_way_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.slot, self.first)

    def __set__(self, instance, value):
        if self.__get__(instance) == self.first:
            setattr(instance, self.slot, value)


@dataclass(frozen=True)
class Yes:
    sent: float


class No:
    pass


class Silence:
    pass


class Expired:
    pass


class Attempt:
    """Await it for the news."""

    def __init__(self, service: Service, grant, sent: float):
        self.call = service.renew(grant.name, grant.ownership_token, grant.ttl)
        self.sent = sent

    def __await__(self):
        try:
            answer = yield from self.call.__await__()
        except TransportError:
            return Silence()
        return Yes(self.sent) if answer else No()


class Renewer:
    state = OneWay("held")

    def __init__(self, service: Service, clock, grant, asked_at: float, on_lost: Callable[[], None]):
        self.service = service
        self.clock = clock
        self.grant = grant
        self.deadline = asked_at + grant.ttl
        self.on_lost = on_lost

    @cached_property
    def third(self) -> float:
        return self.grant.ttl / 3

    @property
    def expired(self) -> bool:
        return self.clock() >= self.deadline

    @singledispatchmethod
    def hear(self, news):
        raise TypeError(news)

    @hear.register
    def _(self, news: Yes):
        if self.expired:
            self.hear(Expired())
        elif self.state == "held":
            self.deadline = news.sent + self.grant.ttl

    @hear.register(No)
    @hear.register(Expired)
    def _(self, news):
        if self.state == "held":
            self.state = "lost"
            self.on_lost()

    @hear.register
    def _(self, news: Silence):
        pass

    async def run(self):
        watch = spawn(self.watch())
        while self.state == "held":
            await self.clock.sleep(self.third * random.uniform(0.9, 1.1))
            if self.state == "held":
                self.hear(Expired() if self.expired else await Attempt(self.service, self.grant, self.clock()))
        watch.cancel()

    async def watch(self):
        while self.state == "held":
            if self.expired:
                self.hear(Expired())
            else:
                await self.clock.sleep(self.deadline - self.clock())

    def stop(self):
        self.state = "released"

    def is_held(self) -> bool:
        return self.state == "held" and not self.expired
