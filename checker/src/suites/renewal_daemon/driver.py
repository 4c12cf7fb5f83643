"""The application around a learner's Renewer: takes the lock, lets it be renewed, works, gives it back."""

import _leasehold
from leasehold import Clock, LockService, TransportError, spawn

note = _leasehold.note
NAME = "job"
TTL = 10.0


class Told(LockService):
    """The lock service, with a note of what this process knows from it."""

    __slots__ = ("clock", "deadline")

    async def renew(self, name, ownership_token, ttl):
        sent = self.clock()
        renewed = await LockService.renew(self, name, ownership_token, ttl)
        if renewed:
            # The service counted from when it had the request, which was later.
            self.deadline = sent + ttl
        return renewed


async def take(service, clock, tries, pause):
    """The grant and when it was asked for; None if all tries were in vain."""
    for attempt in range(tries):
        if attempt:
            await clock.sleep(pause)
        asked = clock()
        try:
            grant = await service.acquire(NAME, TTL)
        except TransportError:
            continue
        if grant is not None:
            service.deadline = asked + TTL
            return grant, asked
    return None


async def hold(solution, seconds, tries=1, pause=3.0, look=5.0):
    clock = Clock()
    service = Told()
    service.clock = clock
    taken = await take(service, clock, tries, pause)
    if taken is None:
        return
    grant, asked = taken
    note("held", NAME)
    note("believes", {"name": NAME, "token": grant.fencing_token, "holds": True})

    def on_lost():
        note("lost", NAME)
        note("believes", {"name": NAME, "token": grant.fencing_token, "holds": False})
        if renewer.is_held():
            note("broke", {"rule": "lost is not held", "message":
                 "is_held() was still true inside on_lost. A handle that is lost is not held."})

    renewer = solution["Renewer"](service, clock, grant, asked, on_lost)
    task = spawn(renewer.run())
    until = clock() + seconds
    while clock() < until:
        await clock.sleep(min(look, max(until - clock(), 0)))
        believe(renewer, service, clock)
        if not renewer.is_held():
            break
    was_held = renewer.is_held()
    renewer.stop()
    note("released", NAME)
    if renewer.is_held():
        note("broke", {"rule": "stopped is not held", "message":
             "is_held() was still true after stop(). Released is terminal: the handle is not held any more."})
    if was_held:
        try:
            await service.release(NAME, grant.ownership_token)
        except TransportError:
            pass
        note("believes", {"name": NAME, "token": grant.fencing_token, "holds": False})
    # Long enough to see a renewal that should not come any more, and a run() that does not end.
    await clock.sleep(TTL)
    if not task.done():
        note("broke", {"rule": "run ends", "message":
             f"run() was still going {TTL:g} s after stop() or the loss. It must end then."})


def believe(renewer, service, clock):
    if renewer.is_held() and clock() >= service.deadline:
        note("broke", {"rule": "belief ends", "message":
             f"At {clock():g} s on its own clock the process asked is_held() and got true, but the last moment that "
             f"the lease was sure to run was {service.deadline:g} s. is_held() must look at the monotonic clock: a "
             "renewer that slept can't have said so in time."})


async def one(client, solution):
    """One client, undisturbed by others."""
    await hold(solution, 14.0)


async def rivals(client, solution):
    """A takes the lock; B wants it a little later and tries until it has it."""
    if client == 0:
        await hold(solution, 12.0)
    else:
        await Clock().sleep(1.0)
        await hold(solution, 5.0, tries=4, pause=9.0)


async def long(client, solution):
    """A thousand ttl without a disturbance."""
    await hold(solution, 1000 * TTL, look=1000 * TTL)


async def short(client, solution):
    """Work that is done before the first renewal is due."""
    await hold(solution, 1.0)
