# No attributes but three functions: closures over local variables, with all times as whole nanoseconds.
import random

import leasehold


def _make(service, clock, grant, asked_at, on_lost):
    def ns(seconds):
        return int(round(seconds * 1_000_000_000))

    ttl = ns(grant.ttl)
    deadline = ns(asked_at) + ttl
    held, tell = True, True

    def now():
        return ns(clock())

    def is_held():
        return held and now() < deadline

    def stop():
        nonlocal held, tell
        held = tell = False

    def loss():
        nonlocal held, tell
        held = False
        if tell:
            tell = False
            on_lost()

    async def until_the_deadline():
        while held:
            left = deadline - now()
            if left <= 0:
                loss()
                return
            # A clock may count in microseconds: round up, so that the sleep does not end short of the deadline.
            await clock.sleep(-(-left // 1000) / 1_000_000)

    async def run():
        nonlocal deadline
        if not held:
            return
        guard = leasehold.spawn(until_the_deadline())
        while held:
            pause = random.randrange(ttl * 9 // 30, ttl * 11 // 30 + 1)
            await clock.sleep(pause / 1_000_000_000)
            sent = now()
            if not held:
                break
            if sent >= deadline:
                loss()
                break
            try:
                answer = await service.renew(grant.name, grant.ownership_token, grant.ttl)
            except leasehold.TransportError:
                continue
            if not held:
                break
            if answer is False or now() >= deadline:
                loss()
            else:
                deadline = sent + ttl
        guard.cancel()

    return run, stop, is_held


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self.run, self.stop, self.is_held = _make(service, clock, grant, asked_at, on_lost)
