# A pure core decides on events and knows neither service nor await; a thin shell carries requests and callbacks.
from dataclasses import dataclass, field
from math import inf
from typing import List


class NotAcquired(Exception):
    pass


@dataclass
class Core:
    ttl: float
    state: str = "acquiring"
    asked: bool = False
    grant: object = None
    deadline: float = -inf
    effects: List[tuple] = field(default_factory=list)

    def begin(self):
        if self.asked or self.state != "acquiring":
            raise RuntimeError("a handle is used once")
        self.asked = True

    def granted(self, now, sent, grant):
        if self.state == "acquiring" and now < sent + self.ttl:
            self.state, self.grant, self.deadline = "held", grant, sent + self.ttl
            return True
        self.state = "released"
        self.effects.append(("give back", grant.ownership_token))
        return False

    def not_granted(self):
        self.state = "released"
        return False

    def tick(self, now):
        if self.state == "held" and now >= self.deadline:
            self.lose()
        return self.state == "held"

    def lose(self):
        self.state = "lost"
        self.effects.append(("tell",))

    def renewed(self, now, sent, answer):
        if not self.tick(now):
            return False
        if not answer:
            self.lose()
            return False
        self.deadline = max(self.deadline, sent + self.ttl)
        return True

    def let_go(self, now):
        """Whether there is something to release."""
        held = self.tick(now)
        if self.state in ("acquiring", "held"):
            self.state = "released"
        return held


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._on_lost = service, clock, name, on_lost
        self._core = Core(ttl)

    state = property(lambda self: self._core.state)

    @property
    def fencing_token(self):
        return getattr(self._core.grant, "fencing_token", None)

    def _tell(self):
        if ("tell",) in self._core.effects:
            self._core.effects.remove(("tell",))
            if self._on_lost:
                self._on_lost()

    async def _give_back(self):
        while self._core.effects:
            _, token = self._core.effects.pop()
            try:
                await self._service.release(self._name, token)
            except Exception:
                pass

    async def acquire(self):
        self._core.begin()
        sent = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._core.ttl)
        except BaseException:
            self._core.not_granted()
            raise
        if grant is None:
            return self._core.not_granted()
        held = self._core.granted(self._clock(), sent, grant)
        if not held:
            await self._give_back()
        return held

    async def renew(self):
        sent = self._clock()
        if not self._core.tick(sent):
            self._tell()
            return False
        try:
            answer = await self._service.renew(self._name, self._core.grant.ownership_token, self._core.ttl)
        except BaseException:
            self._core.tick(self._clock())
            self._tell()
            raise
        renewed = self._core.renewed(self._clock(), sent, answer)
        self._tell()
        return renewed

    async def release(self):
        ask = self._core.let_go(self._clock())
        self._tell()
        return ask and await self._service.release(self._name, self._core.grant.ownership_token)

    def is_held(self):
        return self._core.state == "held" and self._clock() < self._core.deadline

    async def __aenter__(self):
        if await self.acquire():
            return self
        raise NotAcquired(self._name)

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except Exception:
            pass
