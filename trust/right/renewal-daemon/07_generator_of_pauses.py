# A generator says how long each pause is and is told what came of the attempt; after a failure it tries again sooner.
import secrets

from leasehold import TransportError, spawn

OK, FAILED = "ok", "failed"


def pauses(ttl):
    draw = secrets.SystemRandom().uniform
    outcome = OK
    failures = 0
    while True:
        if outcome == OK:
            failures = 0
            share = 3
        else:
            failures += 1
            share = 3 if failures > 2 else 9
        outcome = yield draw(0.9, 1.1) * ttl / share


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._renew = lambda: service.renew(grant.name, grant.ownership_token, grant.ttl)
        self._clock = clock
        self._ttl = grant.ttl
        self._until = asked_at + grant.ttl
        self._on_lost = on_lost
        self._over = False

    async def run(self):
        if self._over:
            return
        alarm = spawn(self._alarm())
        plan = pauses(self._ttl)
        pause = next(plan)
        while True:
            await self._clock.sleep(pause)
            if self._over or self._expired():
                break
            outcome = await self._attempt()
            if self._over or self._expired():
                break
            pause = plan.send(outcome)
        plan.close()
        self._lose_unless_over()
        alarm.cancel()

    async def _attempt(self):
        before = self._clock()
        try:
            answer = await self._renew()
        except TransportError:
            return FAILED
        if not answer:
            self._lose_unless_over()
        elif not self._over and not self._expired():
            self._until = before + self._ttl
        return OK

    async def _alarm(self):
        while not self._over and not self._expired():
            await self._clock.sleep(self._until - self._clock())
        self._lose_unless_over()

    def _expired(self):
        return self._clock() >= self._until

    def _lose_unless_over(self):
        if not self._over:
            self._over = True
            self._on_lost()

    def stop(self):
        self._over = True

    def is_held(self):
        return not self._over and not self._expired()
