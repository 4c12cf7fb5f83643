"""The application around a learner's Renewer: takes the lock, lets it be renewed, works, gives it back."""

import _leasehold
from _leasehold_driver import Shows, broke
from leasehold import Clock, LockService, Signal, StaleFencingToken, Storage, TransportError, spawn

note = _leasehold.note
TTL = 10.0
# An answer takes up to a second, so a renewer may give up that long before the deadline.
CLOSE = 1.0
# Long enough for every answer that is under way.
A_WHILE = 2.0
TICK = 1 / 64


class Service(LockService):
    """The lock service as the renewer gets it, with what this process can know from the answers."""

    __slots__ = ("clock", "grant", "deadline", "failures", "rejected", "came_late", "calls",
                 "under_way")

    def begin(self, clock, grant, asked):
        self.clock = clock
        self.grant = grant
        self.deadline = asked + grant.ttl
        self.failures = 0
        self.rejected = False
        self.came_late = False
        self.calls = 0
        self.under_way = Signal()

    async def renew(self, name, ownership_token, ttl):
        grant = self.grant
        if (name, ownership_token, ttl) != (grant.name, grant.ownership_token, grant.ttl):
            broke("right renewal", f"renew() was called with {name!r}, {ownership_token!r}, {ttl!r}. It takes the "
                  f"grant's name, its ownership token and its ttl: {grant.name!r}, {grant.ownership_token!r}, "
                  f"{grant.ttl!r}.")
        self.calls += 1
        if self.calls == 2:
            self.under_way.set()
        sent = self.clock()
        try:
            renewed = await LockService.renew(self, name, ownership_token, ttl)
        except TransportError:
            self.failures += 1
            raise
        self.failures = 0
        # An answer that comes when the deadline has passed may be taken or not.
        self.came_late = self.clock() >= self.deadline
        if renewed:
            # The service counted from when it had the request, which was later.
            self.deadline = max(self.deadline, sent + ttl)
        else:
            self.rejected = True
        return renewed


class Application:
    """What holds the lock while it works: one Renewer, and what it has told so far."""

    def __init__(self, solution, service, clock, grant, asked):
        self.service = service
        self.clock = clock
        self.grant = grant
        self.over = Signal()
        self.stopped = False
        # stop() came when the lease was lost already or may have been: a loss may still be told.
        self.stopped_late = False
        # The method of the renewer that runs now, if one does.
        self.inside = None
        self.shows = Shows(grant.name)
        self.believes(True)
        self.renewer = solution["Renewer"](service, clock, grant, asked, self.on_lost)
        note("held", grant.name)
        self.shows.goes("held", "the service granted the lock")
        self.look()
        self.task = spawn(self.renewer.run())

    def believes(self, holds):
        note("believes", {"name": self.grant.name, "token": self.grant.fencing_token, "holds": holds})

    def on_lost(self):
        note("says", "on_lost() is called")
        if self.inside is not None:
            broke("who tells", f"on_lost() was called from within {self.inside}(). It is run() that tells of a loss: "
                  "an application that asks or stops must not be interrupted by its own question.")
        note("lost", self.grant.name)
        if not self.stopped_late:
            self.shows.goes("lost", self.because())
        self.over.set()
        self.believes(False)
        if self.is_held():
            broke("lost is not held", "is_held() was still true inside on_lost(). A lease that is lost is not held: "
                  "note the loss first, then tell it.")

    def because(self):
        """What this process knows of why the lease is lost."""
        if self.service.rejected:
            return "a renewal was rejected"
        if self.clock() >= self.service.deadline:
            return "its deadline has passed"
        return "renewals failed" if self.service.failures else "on_lost() was called"

    def may_be_lost(self):
        service = self.service
        close = self.clock() >= service.deadline - CLOSE
        return close or service.rejected or service.came_late or service.failures >= 2

    def is_held(self):
        self.inside = "is_held"
        held = self.renewer.is_held()
        self.inside = None
        if held and (self.stopped or self.over.is_set()):
            self.shows.goes("held", "is_held() says so")
        return held

    def stop(self):
        self.inside = "stop"
        self.renewer.stop()
        self.inside = None

    def look(self):
        """Asks is_held() and holds the answer against what this process can know."""
        held, now, service = self.is_held(), self.clock(), self.service
        if held and self.stopped:
            broke("stopped is not held", f"At {now:g} s is_held() was true, after stop(). Released is for good.")
        elif held and self.over.is_set():
            broke("lost is for good", f"At {now:g} s is_held() was true, after on_lost() had been called. Lost is for "
                  "good: not even a renewal that succeeds late brings the lease back.")
        elif held and now >= service.deadline:
            broke("belief ends", f"At {now:g} s on its own clock the process asked is_held() and got true, but the "
                  f"lease was sure to run only until {service.deadline:g} s, and at that instant it is over. "
                  "is_held() must look at the monotonic clock: a task that slept can't have said so in time.")
        elif not held and not self.stopped and not self.over.is_set():
            uncertain = service.failures >= 2 or service.rejected or service.came_late
            if now < service.deadline - CLOSE and not uncertain:
                broke("held is held", f"At {now:g} s is_held() was false, although no loss had been told and the "
                      f"lease was sure to run until {service.deadline:g} s.")

    async def work(self, seconds, pace):
        until = self.clock() + seconds
        while not self.over.is_set() and self.clock() < until:
            await self.over.wait(min(pace, until - self.clock()))
            self.look()

    async def finish(self, releases=True):
        if not self.over.is_set():
            note("says", "stop() is called")
            note("stopped", self.grant.name)
            self.stopped_late = self.may_be_lost()
            self.stopped = True
            self.shows.goes("released", "stop() was called")
            self.stop()
            self.look()
            self.believes(False)
            if releases:
                try:
                    await self.service.release(self.grant.name, self.grant.ownership_token)
                except TransportError:
                    pass
        end = "stop()" if self.stopped else "on_lost()"
        # Long enough to see a renewal that should not come any more, and a run() that does not end.
        await self.clock.sleep(A_WHILE)
        self.look()
        await self.clock.sleep(TTL - 1)
        self.look()
        if not self.task.done():
            # A pause may have taken its time: then it has its turn now.
            await self.clock.sleep(TTL)
        if not self.task.done():
            broke("run ends", f"run() was still going {2 * TTL + 1:g} s after {end}. It must return within a ttl.")
        # Of what is over already, stop() is told as well: that must do nothing.
        self.stop()
        self.look()


async def take(service, clock, name, tries, pause, ttl=TTL):
    """The grant and when it was asked for; None if all tries were in vain."""
    for attempt in range(tries):
        if attempt:
            await clock.sleep(pause)
        asked = clock()
        try:
            grant = await service.acquire(name, ttl)
        except TransportError:
            continue
        if grant is not None:
            service.begin(clock, grant, asked)
            return grant, asked
    return None


async def hold(solution, seconds, name="job", tries=1, pause=3.0, pace=5.0):
    clock, service = Clock(), Service()
    taken = await take(service, clock, name, tries, pause)
    if taken is not None:
        application = Application(solution, service, clock, *taken)
        await application.work(seconds, pace)
        await application.finish()


async def brink(client, solution):
    """The process asks at the very instant of the first deadline, before any other task has its turn."""
    clock, service = Clock(), Service()
    application = Application(solution, service, clock, *await take(service, clock, "job", 1, 0))
    await clock.sleep(service.deadline - clock())
    application.look()
    await application.work(1.0, 1.0)
    await application.finish()


async def only_work(solution, seconds, name="job"):
    clock, service = Clock(), Service()
    taken = await take(service, clock, name, 1, 0)
    application = Application(solution, service, clock, *taken)
    await application.work(seconds, seconds)
    note("stopped", name)
    application.stop()


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
    """A thousand ttl. How it ends is for other worlds."""
    await only_work(solution, 1000 * TTL)


async def thirty(client, solution):
    """Thirty ttl, each client with a lock of its own."""
    await only_work(solution, 30 * TTL, name=("job", "report")[client])


async def odd(client, solution):
    """A lease of another length, and no whole number of seconds."""
    clock, service = Clock(), Service()
    application = Application(solution, service, clock, *await take(service, clock, "job", 1, 0, ttl=2.25))
    await application.work(60.0, 7.0)
    if application.over.is_set():
        broke("no needless loss", "A lease of 2.25 s was lost although nothing had gone wrong. All pauses and deadlines "
              "are measured by grant.ttl.")
    note("stopped", "job")
    application.stop()


async def short(client, solution):
    """Work that is done before the first renewal is due."""
    await hold(solution, 1.0)


async def nothing(client, solution):
    """Work that is done before run() has begun."""
    await hold(solution, 0.0)


async def late(client, solution):
    """The process slept between the grant and the renewer."""
    clock, service = Clock(), Service()
    grant, asked = await take(service, clock, "job", 1, 0)
    await clock.sleep(TTL + 2)
    application = Application(solution, service, clock, grant, asked)
    await application.work(5.0, 5.0)
    await application.finish()


async def late_write(client, solution):
    """Both take the lock, work, and write with its fencing token: B when A's lease is long over, if A sleeps."""
    clock, service = Clock(), Service()
    if client == 1:
        await clock.sleep(16.0)
    taken = await take(service, clock, "job", 1, 0)
    if taken is None:
        return
    application = Application(solution, service, clock, *taken)
    await application.work(4.0, 4.0)
    try:
        await Storage().write("job", taken[0].fencing_token, f"by {'AB'[client]}")
    except (StaleFencingToken, TransportError):
        note("says", "its write came to nothing")
    application.look()
    await application.work(1.0, 1.0)
    await application.finish()


async def free_it(application, seconds):
    """Somebody frees the lock behind the holder's back."""
    await application.clock.sleep(seconds)
    note("says", "an operator frees the lock by hand")
    await application.service.release(application.grant.name, application.grant.ownership_token)


async def freed(client, solution):
    """An operator frees the lock half-way between two renewals."""
    clock, service = Clock(), Service()
    application = Application(solution, service, clock, *await take(service, clock, "job", 1, 0))
    spawn(free_it(application, TTL / 2))
    await application.work(14.0, 5.0)
    await application.finish(releases=False)


async def stop_under_way(client, solution, freed=False):
    """The work ends just after the second renewal was sent."""
    clock, service = Clock(), Service()
    application = Application(solution, service, clock, *await take(service, clock, "job", 1, 0))
    if freed:
        spawn(free_it(application, TTL / 2))
    await service.under_way.wait(TTL)
    await clock.sleep(TICK)
    await application.finish(releases=not freed)


async def stop_under_way_freed(client, solution):
    """The same, and the renewal will be rejected."""
    await stop_under_way(client, solution, freed=True)
