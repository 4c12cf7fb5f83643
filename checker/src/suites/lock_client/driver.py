"""The applications around a learner's LockClient: they take locks, work, nest, wait, give back, and hold what they hear
against what their process can know."""

import _leasehold
from _leasehold_driver import Shows, awaited, broke
from leasehold import (
    Cancelled, Clock, LockService, Signal, StaleFencingToken, Storage, TransportError, _call, current_task, spawn,
)

note = _leasehold.note
TTL = 10.0
# An answer takes up to a second, so a renewer may give up that long before the deadline.
CLOSE = 1.0
# A try that is under way when the wait ends, a last one, and giving back what came too late, twice.
SLACK = 4.25
TICK = 1 / 64
# Three are due in a ttl. Ten attempts that fail one right after the other are the most that fit in.
MOST_RENEWALS = 12
# Seven are left in 30 s, and a few more if some are lost.
MOST_WATCHES = 10


class Mishap(Exception):
    """What goes wrong in an application's own function: nobody can have heard of its class."""


def us(seconds):
    return round(seconds * 1_000_000)


class Lease:
    """What this process can know of one grant."""

    __slots__ = ("grant", "id", "deadline", "task", "heard", "came_too_late", "failures", "rejected", "came_late", "holds",
                 "releases", "gave_back", "since", "count", "renewals")

    def __init__(self, grant, sent, now):
        self.grant = grant
        self.id = grant.fencing_token
        self.deadline = sent + grant.ttl
        self.task = current_task()
        self.heard = now
        self.came_too_late = now >= self.deadline
        self.failures = 0
        self.rejected = False
        # A success came when the deadline had passed: it may be taken or not.
        self.came_late = False
        self.holds = []
        self.releases = 0
        self.gave_back = False
        self.since = now
        self.count = 0
        self.renewals = []

    def why_over(self):
        if self.rejected:
            return "the service had said that the grant is over"
        if any(hold.told for hold in self.holds):
            return "on_lost had been called"
        if self.holds and all(hold.released for hold in self.holds):
            return "its last handle had been released"
        return None

    def why_lost(self, now):
        if self.rejected:
            return "a renewal was rejected"
        if now >= self.deadline:
            return "its deadline has passed"
        return "renewals failed" if self.failures else "on_lost() was called"

    def is_sure(self, now):
        """Whether nobody can doubt that it runs."""
        return now + CLOSE < self.deadline and self.failures < 2 and not self.came_late and self.why_over() is None

    def __str__(self):
        return f"{self.grant.name} (token {self.id})"


class Service(LockService):
    """The lock service as the client gets it."""

    __slots__ = ("clock", "leases", "tries", "heard", "under_way", "is_cut", "last", "asked", "watches")

    def __init__(self, clock):
        LockService.__init__(self)
        self.clock = clock
        self.leases = {}
        self.tries = 0
        self.heard = 0.0
        # Set when the second renewal of a grant is sent.
        self.under_way = Signal()
        # No renewal gets through.
        self.is_cut = False
        # The number of the last hold, call or question.
        self.last = 0
        # By task: how often it tried to acquire.
        self.asked = {}
        # How many watches were left.
        self.watches = 0

    async def watch(self, name):
        watch = await LockService.watch(self, name)
        self.watches += 1
        return watch

    async def acquire(self, name, ttl):
        self.tries += 1
        me = current_task()
        self.asked[me] = self.asked.get(me, 0) + 1
        sent = self.clock()
        try:
            grant = await LockService.acquire(self, name, ttl)
        finally:
            self.heard = self.clock()
        if grant is not None:
            lease = self.leases[grant.ownership_token] = Lease(grant, sent, self.clock())
            note("granted", {"lease": lease.id, "ttl": us(ttl), "due": us(lease.deadline)})
        return grant

    async def renew(self, name, ownership_token, ttl):
        lease = self.leases.get(ownership_token)
        if lease is None:
            broke("right renewal", f"renew() was called with the ownership token {ownership_token!r}, which is none of "
                  "this client's grants'. It takes grant.ownership_token.")
        elif (name, ttl) != (lease.grant.name, lease.grant.ttl):
            broke("right renewal", f"renew() was called with {name!r} and a ttl of {ttl!r}. It takes the grant's: "
                  f"{lease.grant.name!r}, {lease.grant.ttl!r}.")
        now = self.clock()
        if (why := lease.why_over()) is not None:
            broke("renewals end", f"At {now:g} s a renewal of {lease} was sent, although {why}. Renewals end with the "
                  "last release and with the loss: after each await look again whether there is anything to renew.")
        if now >= lease.deadline:
            broke("no late renewal", f"At {now:g} s a renewal of {lease} was sent, whose lease was sure to run only "
                  f"until {lease.deadline:g} s. Before each attempt look at the deadline: once it has passed, the lease "
                  "is lost without asking.")
        if not lease.holds and now > lease.heard + 1:
            broke("renewed for nobody", f"At {now:g} s a renewal of {lease} was sent, but no acquire() had returned a "
                  "handle of this grant. A grant that nobody holds must be left to lapse, or given back.")
        if now >= lease.since + lease.grant.ttl:
            lease.since, lease.count = now, 0
        lease.count += 1
        if lease.count > MOST_RENEWALS:
            broke("no hail", f"{lease} was renewed {lease.count} times within one ttl from {lease.since:g} s on. Renew "
                  "about every third of the ttl, and try again with measure.")
        lease.renewals.append(now)
        if len(lease.renewals) == 2:
            self.under_way.set()
        note("renewing", {"lease": lease.id})
        try:
            if self.is_cut:
                note("says", f"a renewal of {lease} gets lost")
                await self.clock.sleep(1.0)
                raise TransportError("no answer came in time; whether it was done is unknown")
            renewed = await LockService.renew(self, name, ownership_token, ttl)
        except TransportError:
            lease.failures += 1
            note("unknown", {"lease": lease.id})
            raise
        except BaseException:
            # Nobody waits for this answer any more.
            note("dropped", {"lease": lease.id})
            raise
        if renewed:
            lease.failures = 0
            lease.came_late = self.clock() >= lease.deadline
            # The service counted from when it had the request, which was later.
            lease.deadline = max(lease.deadline, now + ttl)
            note("renewed", {"lease": lease.id, "due": us(lease.deadline)})
        else:
            lease.rejected = True
            note("rejected", {"lease": lease.id})
        return renewed

    async def release(self, name, ownership_token):
        lease = self.leases.get(ownership_token)
        if lease is None or lease.grant.name != name:
            broke("right release", f"The service's release() was called with {name!r} and the ownership token "
                  f"{ownership_token!r}, which are not those of a grant of this client.")
        now = self.clock()
        held = [hold for hold in lease.holds if hold.handle.is_held()]
        if any(hold.released for hold in held):
            broke("released at once", f"At {now:g} s the service was told to release {lease}, and is_held() of the "
                  "released handle was still true. It is released from the call of release() on, whatever becomes of "
                  "the request.")
        if held and lease.why_over() is None:
            broke("only the last release frees", f"At {now:g} s the service was told to release {lease}, while "
                  f"{len(held)} of the {len(lease.holds)} handles of this grant were still held. Only the last release "
                  "of a nested lock calls the service.")
        if lease.gave_back:
            broke("release once", f"At {now:g} s the service was told to release {lease}, which it had been told, and "
                  "had confirmed, before. A handle that is released is released.")
        if lease.releases == 2:
            broke("release once", f"At {now:g} s the service was told to release {lease} for the third time. After one more "
                  "try the rest is left to the end of the lease.")
        lease.releases += 1
        released = await LockService.release(self, name, ownership_token)
        lease.gave_back = True
        return released

    def of_token(self, token, name):
        found = [lease for lease in self.leases.values() if lease.id == token and lease.grant.name == name]
        return found[0] if found else None


class Hold:
    """One handle, and what the application was told of it."""

    __slots__ = ("app", "id", "name", "task", "handle", "lease", "over", "told", "released", "open_end", "raises",
                 "shows")

    def __init__(self, app, name):
        app.service.last += 1
        self.app = app
        self.id = app.service.last
        self.name = name
        self.task = current_task()
        self.handle = None
        self.lease = None
        self.over = Signal()
        self.told = False
        self.released = False
        # It was lost when it was released, or at its deadline: it may hear of the loss or not.
        self.open_end = False
        self.raises = False
        # What the handle shows. One that was released may be told of a loss that came before.
        self.shows = Shows(name, self.id)

    def on_lost(self):
        now = self.app.clock()
        note("says", "on_lost() is called")
        if not self.open_end:
            self.shows.goes("lost", "on_lost() was called" if self.lease is None else self.lease.why_lost(now))
        if self.lease is None:
            broke("told of no handle", f"At {now:g} s on_lost() was called for a handle that acquire() had not returned.")
        if self.told:
            broke("told once", f"At {now:g} s on_lost() of one handle of {self.lease} was called a second time. Each "
                  "handle is told once.")
        if self.released and not self.open_end:
            broke("told after its release", f"At {now:g} s on_lost() was called for a handle of {self.lease} that had "
                  "been released. Released is for good: its holder does not want to know any more.")
        if current_task() in self.app.tasks:
            broke("who tells", f"At {now:g} s on_lost() was called by a task that called the client. A task that the "
                  "client spawned tells of a loss: an application must not be interrupted by its own question.")
        lease = self.lease
        close = now + CLOSE >= lease.deadline
        if not (lease.rejected or lease.failures >= 2 or lease.came_late or close):
            failed = ("no renewal had failed", "only one renewal had failed since the last that succeeded")
            broke("no needless loss", f"At {now:g} s on_lost() was called for {lease}, although {failed[lease.failures]} "
                  f"and the lease was sure to run until {lease.deadline:g} s. A renewal that succeeds moves the deadline; "
                  "one failed attempt is tried again.")
        self.told = True
        if not self.released:
            note("lost", {"hold": self.id, "lease": lease.id})
        self.over.set()
        for hold in lease.holds:
            if not hold.released and hold.handle.is_held():
                broke("lost is not held", f"While on_lost() of one handle of {lease} was called, is_held() of "
                      f"{'the same' if hold is self else 'another'} was true. A loss ends all handles of the grant: "
                      "first note it for all of them, then tell.")
        self.app.believes(lease)
        if self.raises:
            raise Mishap("the application's own on_lost went wrong")

    def taken(self, handle, nests_in, may_nest):
        """acquire() returned this."""
        missing = [what for what in ("name", "fencing_token", "is_held", "release") if not hasattr(handle, what)]
        if missing:
            broke("a handle", f"acquire() returned {handle!r}, which has no {missing[0]}. It returns a LockHandle, or "
                  "None.")
        if handle.name != self.name and any(hold.name == handle.name for hold in self.app.holds):
            broke("each name is a lock", f"acquire({self.name!r}) returned a handle of {handle.name!r}, which the task held "
                  "already. A task nests into a lock of the same name only.")
        if handle.name != self.name:
            broke("a handle", f"The handle's name is {handle.name!r}. It is the lock's: {self.name!r}.")
        service, now = self.app.service, self.app.clock()
        token = handle.fencing_token
        lease = service.of_token(token, self.name) if type(token) is int else None
        if lease is None:
            grants = [lease.id for lease in service.leases.values() if lease.grant.name == self.name]
            known = f"the service gave {self.name} with fencing token {grants[-1]}" if grants else "nothing was granted"
            broke("the grant's fencing token", f"The handle's fencing_token is {token!r}, but {known}. The grant's "
                  "fencing_token goes with every write; the ownership token is only for renew and release.")
        waiting = [other.id for other in service.leases.values()
                   if other.grant.name == self.name and not other.holds and not other.releases and other.is_sure(now)]
        if waiting and lease.id not in waiting and lease.why_over() is not None:
            broke("the grant's fencing token", f"The handle's fencing_token is {token}, of a grant that is over; the service "
                  f"has just granted {self.name} with fencing token {waiting[-1]}.")
        if nests_in is not None and lease is not nests_in:
            broke("nested", f"The task holds {nests_in} and asked for it again with reentrant=True, but got a handle "
                  f"of token {lease.id}. A nested acquire is no new grant.")
        others = [hold for hold in lease.holds if not hold.released and not hold.told]
        if others and others[0].task is not self.task:
            broke("one owner", f"A second task got a handle of {lease}, which another task of the process holds. "
                  "Re-entrancy is for the task that holds the lock; others are refused by the service.")
        if others and not may_nest:
            broke("one owner", f"The task that holds {lease} got a second handle of it without reentrant=True, or "
                  "through another client.")
        if (why := lease.why_over()) is not None or now >= lease.deadline:
            why = why or f"its lease was sure to run only until {lease.deadline:g} s"
            broke("held when it is returned", f"At {now:g} s acquire() returned a handle of {lease}, although {why}. "
                  "Look at the deadline when the answer comes, and before you nest.")
        self.handle = handle
        self.lease = lease
        lease.holds.append(self)
        note("held", {"hold": self.id, "lease": lease.id})
        self.shows.goes("held", "its task held the lock already" if others else "the service granted the lock")
        self.app.believes(lease)
        self.look()
        if not handle.is_held() and lease.is_sure(now):
            broke("held when it is returned", f"At {now:g} s acquire() returned a handle whose is_held() is false.")

    def look(self):
        """Asks is_held() and holds the answer against what this process can know."""
        held, now, lease = self.handle.is_held(), self.app.clock(), self.lease
        if held and (self.released or self.told):
            self.shows.goes("held", "is_held() says so")
        if held and self.released:
            broke("released is for good", f"At {now:g} s is_held() of a handle of {lease} was true, after its release.")
        elif held and self.told:
            broke("lost is for good", f"At {now:g} s is_held() of a handle of {lease} was true, after its on_lost() had "
                  "been called. Lost is for good, whatever succeeds later.")
        elif held and now >= lease.deadline:
            broke("belief ends", f"At {now:g} s on its own clock the process asked is_held() of a handle of {lease} and "
                  f"got true, but the lease was sure to run only until {lease.deadline:g} s. is_held() must look at the "
                  "monotonic clock: a task that slept can't have said so in time.")
        elif not held and not self.released and not self.told and lease.is_sure(now):
            nested = " Another handle of this grant was released: that must not end this one." if any(
                hold.released for hold in lease.holds) else ""
            broke("held is held", f"At {now:g} s is_held() of a handle of {lease} was false, although it had not been "
                  f"released, no loss had been told and the lease was sure to run until {lease.deadline:g} s.{nested}")

    async def release(self):
        app, lease, now = self.app, self.lease, self.app.clock()
        was_open = not self.released and not self.told
        is_last = all(hold.released or hold.told for hold in lease.holds if hold is not self)
        is_sure = was_open and lease.is_sure(now)
        if was_open:
            self.released = True
            self.open_end = now >= lease.deadline or not self.handle.is_held()
            note("says", f"a handle of {lease} is released")
            note("released", {"hold": self.id, "lease": lease.id})
            self.shows.goes("released", "release() was called")
            app.believes(lease)
        before = lease.releases
        await app.call("release()", 2.0 + app.slack, self.handle.release())
        self.look()
        if is_sure and is_last and lease.releases == before:
            # A task of the client's may be about to tell.
            await app.clock.sleep(TICK)
        if is_sure and is_last and lease.releases == before:
            broke("the last release frees", f"The last handle of {lease} was released at {now:g} s, but the service was "
                  "not told: others wait until the lease runs out.")
        if not was_open and 0 < before < lease.releases:
            broke("release once", f"At {now:g} s a handle of {lease} was released that had been released or lost before, "
                  "and the service was called. Such a release does nothing.")
        for hold in lease.holds:
            hold.look()

    async def write(self, value):
        """Writes with the handle's token: true if it was stored."""
        try:
            await self.app.storage.write(self.name, self.handle.fencing_token, value)
        except (TransportError, StaleFencingToken):
            return False
        return True


class Application:
    """A LockClient and what uses it."""

    __slots__ = ("clock", "service", "storage", "client", "tasks", "slack", "holds")

    def __init__(self, solution, slack=SLACK, service=None, clock=None):
        self.clock = clock or Clock()
        self.service = service or Service(self.clock)
        self.storage = Storage()
        self.tasks = [current_task()]
        self.slack = slack
        self.holds = []
        self.client = solution["LockClient"](self.service, self.clock)

    def believes(self, lease):
        holds = any(not hold.released and not hold.told for hold in lease.holds)
        note("believes", {"name": lease.grant.name, "token": lease.id, "holds": holds})

    def spawn(self, coroutine):
        """A task of the application."""
        task = spawn(coroutine)
        self.tasks.append(task)
        return task

    async def call(self, what, most, coroutine):
        """Awaits a method of the learner's, which may take so long."""
        self.service.last += 1
        call = self.service.last
        note("calls", {"call": call, "what": what, "most": us(most)})
        try:
            return await awaited(coroutine, what)
        except TransportError:
            broke("no TransportError comes out", f"TransportError came out of {what}. For acquire() it is a try in vain, "
                  "and release() leaves the rest to the end of the lease.")
        finally:
            note("returned", {"call": call})

    async def acquire(self, name="job", wait_s=0, reentrant=False, ttl=TTL, raises=False):
        """A Hold, or None."""
        hold = Hold(self, name)
        hold.raises = raises
        began, tries, me = self.clock(), self.service.tries, current_task()
        asked = self.service.asked.get(me, 0)
        mine = [h for h in self.holds if h.name == name and h.task is me and h.lease.is_sure(began) and not h.released]
        nests_in = mine[0].lease if reentrant and mine else None
        until = nests_in.deadline - CLOSE if nests_in else 0.0
        what = f"acquire({name!r}, wait_s={wait_s!r})"
        handle = await self.call(
            what, wait_s + self.slack, self.client.acquire(name, ttl, wait_s, reentrant, hold.on_lost))
        # The process may have slept in between.
        if nests_in is not None and not (self.clock() < until and nests_in.is_sure(self.clock())):
            nests_in = None
        if nests_in is not None and (handle is None or self.service.asked.get(me, 0) != asked):
            broke("nested", f"The task holds {nests_in} and asked for it again with reentrant=True. That is granted at "
                  "once, without a call to the service.")
        if handle is None:
            hold.shows.goes("released", "acquire() gave none")
            await self.in_vain(name, began, wait_s, tries, me)
            return None
        hold.taken(handle, nests_in, reentrant)
        self.holds.append(hold)
        return hold

    async def in_vain(self, name, began, wait_s, tries, me):
        """acquire() returned None: was that right?"""
        heard, end = self.service.heard, began + wait_s
        if self.service.tries == tries:
            others = [hold.name for hold in self.holds if hold.task is me and hold.name != name and not hold.released]
            more = f" That the task holds {others[0]!r} does not matter: each name is a lock." if others else ""
            broke("tries", f"acquire({name!r}, wait_s={wait_s:g}) returned None at {self.clock():g} s and had not asked "
                  f"the service. 0 seconds are one try.{more}")
        if heard < end - TICK:
            # Unless it slept through the rest of the wait, which only the world knows.
            note("gave up", {"what": f"acquire({name!r}, wait_s={wait_s:g})", "heard": us(heard), "end": us(end)})
        for lease in list(self.service.leases.values()):
            if lease.task is me and lease.grant.name == name and lease.heard >= began and not lease.holds:
                await self.thrown_away(lease)

    async def thrown_away(self, lease):
        if not lease.releases:
            # A task of the client's may be about to give it back.
            await self.clock.sleep(TICK)
        if lease.releases:
            return
        if lease.came_too_late:
            broke("what comes too late is given back", f"The answer with {lease} came at {lease.heard:g} s, when its "
                  f"lease was sure to run only until {lease.deadline:g} s. It was not held, and rightly; but it was not "
                  "given back either, so nobody can have the lock until the service lets it run out.")
        broke("what is granted is held", f"{lease} was granted at {lease.heard:g} s, but acquire() returned None.")

    def look(self):
        for hold in self.holds:
            hold.look()

    async def work(self, hold, seconds, pace=5.0, writes=False):
        until = self.clock() + seconds
        while not hold.over.is_set() and self.clock() < until:
            await hold.over.wait(min(pace, until - self.clock()))
            self.look()
            if writes and not hold.over.is_set():
                await hold.write(hold.id)

    async def linger(self, seconds=2 * TTL):
        """Long enough to see a renewal or a telling that should not come any more."""
        await self.clock.sleep(seconds)
        self.look()

    async def operator_frees(self, hold):
        """Somebody frees the lock behind the holder's back."""
        note("says", "an operator frees the lock by hand")
        await LockService.release(self.service, hold.name, hold.lease.grant.ownership_token)


def must_have(hold, why):
    if hold is None:
        broke("a free lock is granted", f"acquire() returned None, although {why}.")
    return hold


# ---- the worlds that are searched


async def rivals(client, solution):
    """A takes the lock, nests and works; B wants it when A is nearly done. All of it short: each moment more is a place
    more at which something may go wrong."""
    app = Application(solution)
    if app.clock() > 0:
        # It crashed. What it does with empty memory is nothing new.
        return
    if client == 1:
        await app.clock.sleep(2.5)
    outer = await app.acquire(wait_s=7.0, ttl=6.0)
    if outer is not None:
        inner = await app.acquire(reentrant=True)
        await app.work(outer, 3.0)
        await outer.write(client)
        app.look()
        if inner is not None:
            await inner.release()
        await outer.release()
    await app.clock.sleep(3.0)
    app.look()


async def crowd(client, solution):
    """Three processes with two tasks each, two locks, nesting, writing, somebody who listens: all at once."""
    app = Application(solution)
    both = [app.spawn(part(app, client, name, wait)) for name, wait in (("job", 9.0), ("report", 4.0))]
    for task in both:
        await task
    await app.linger(5.0)


async def part(app, client, name, wait):
    hears = Question(app, name)
    for _ in range(2):
        await app.clock.sleep(client / 4)
        hold = await app.acquire(name, wait)
        if hold is None:
            continue
        await hold.write(client)
        inner = await app.acquire(name, 1.0, True)
        await app.work(hold, 4.0, 2.0, True)
        if inner is not None:
            await inner.release()
        await hold.write(client)
        await hold.release()
    hears.cancel()


async def late_write(client, solution):
    """Both take the lock, work and write: B when A's lease is long over, if A sleeps."""
    app = Application(solution)
    if client == 1:
        await app.clock.sleep(16.0)
    hold = await app.acquire()
    if hold is not None:
        await app.work(hold, 4.0)
        if not await hold.write(f"by {'AB'[client]}"):
            note("says", "its write came to nothing")
        await app.work(hold, 1.0)
        await hold.release()
    await app.linger()


# ---- one client, one lock


async def one(client, solution, nests=False):
    """One client, undisturbed by others, takes the lock and works."""
    app = Application(solution)
    outer = await app.acquire(wait_s=5.0)
    if outer is None:
        return
    inner = await app.acquire(reentrant=True) if nests else None
    await app.work(outer, 14.0, writes=True)
    if inner is not None:
        await inner.release()
    await outer.release()
    await outer.release()
    await app.linger()


async def one_nests(client, solution):
    """The same, and it takes the lock twice over."""
    await one(client, solution, True)


async def alone(client, solution):
    """A free lock: one try, a handle, a write that the storage takes."""
    app = Application(solution, 0.1)
    for name, ttl in (("job", 10.0), ("report", 2.25)):
        hold = must_have(await app.acquire(name, ttl=ttl), "the lock was free")
        if app.service.tries != 1:
            broke("tries", f"The lock was free, and the service was asked {app.service.tries} times.")
        if not await hold.write("value"):
            broke("the grant's fencing token", "The storage rejected the only holder's write.")
        app.service.tries = 0
    for hold in app.holds:
        await hold.release()
    again = must_have(await app.acquire(), "it had just been released")
    await again.release()


async def long(client, solution):
    """A hundred ttl. How it ends is for other worlds."""
    app = Application(solution)
    hold = must_have(await app.acquire(), "the lock was free")
    await app.work(hold, 100 * TTL, 77.0)
    if hold.over.is_set():
        broke("no needless loss", "The lease was lost although nothing had gone wrong.")


async def odd(client, solution):
    """Two leases of other lengths, and no whole numbers of seconds."""
    app = Application(solution)
    holds = [must_have(await app.acquire(name, ttl=ttl), "the lock was free") for name, ttl in (("job", 2.25), ("report", 0.75))]
    await app.work(holds[0], 15.0, 7.0)
    if any(hold.over.is_set() for hold in holds):
        broke("no needless loss", "A lease of 2.25 s or of 0.75 s was lost although nothing had gone wrong. All pauses and "
              "deadlines are measured by grant.ttl.")


async def thirty(client, solution):
    """Thirty ttl, each client with a lock of its own."""
    app = Application(solution)
    hold = must_have(await app.acquire(("job", "report")[client]), "the lock was free")
    await app.work(hold, 30 * TTL, 300.0)
    note("stopped", "job")


async def thirty_and_a_failure(client, solution):
    """Thirty ttl, in which one renewal may fail. After it all is as before."""
    app = Application(solution)
    hold = must_have(await app.acquire(), "the lock was free")
    await app.work(hold, 30 * TTL, 300.0)
    count = len(hold.lease.renewals)
    if count > 5 * 30:
        broke("pace", f"In thirty ttl {count} renewals were sent, although only one had failed. After a success the next one is "
              "due when a third of the ttl has passed: who was in a hurry once need not be for ever.")
    await hold.release()


async def to_the_deadline(client, solution):
    """The process may sleep until the very deadline."""
    app = Application(solution)
    hold = must_have(await app.acquire(), "the lock was free")
    await app.clock.sleep(2.0 - app.clock())
    await app.work(hold, TTL)
    await hold.release()
    await app.linger()


async def short(client, solution):
    """Released before the first renewal, and before anything else could run."""
    app = Application(solution)
    for seconds in (1.0, 0.0):
        hold = must_have(await app.acquire(wait_s=2.0), "the lock was free")
        if seconds:
            await app.work(hold, seconds)
        await hold.release()
        await app.linger()


async def freed(client, solution):
    """An operator frees the lock half-way between two renewals."""
    app = Application(solution)
    hold = await app.acquire(wait_s=5.0)
    if hold is not None:
        await app.work(hold, TTL / 2)
        await app.operator_frees(hold)
        await app.work(hold, 14.0)
        await hold.release()
        await app.linger()


async def release_under_way(client, solution, is_freed=False):
    """The last release comes just after the second renewal was sent."""
    app = Application(solution)
    hold = await app.acquire(wait_s=5.0)
    if hold is None:
        return
    if is_freed:
        await app.work(hold, TTL / 2)
        await app.operator_frees(hold)
    await app.service.under_way.wait(TTL)
    await app.clock.sleep(TICK / 2)
    await hold.release()
    await app.linger()


async def release_under_way_freed(client, solution):
    """The same, and the renewal will be rejected."""
    await release_under_way(client, solution, True)


# ---- waiting


async def wait_in_vain(client, solution):
    """A holds the lock; B waits for it for 3 s, and for no time at all."""
    app = Application(solution, 0.1)
    if client == 0:
        hold = must_have(await app.acquire(), "the lock was free")
        await app.work(hold, 9.0)
        return
    await app.clock.sleep(1.0)
    for wait_s in (0, 0.0, 3, 0.25):
        tries = app.service.tries
        if await app.acquire(wait_s=wait_s) is not None:
            broke("one owner", "A second client got the lock while the first one held it.")
        if not wait_s and app.service.tries != tries + 1:
            broke("tries", f"With wait_s=0 the service was asked {app.service.tries - tries} times. 0 is one try.")


async def wait_and_have(client, solution):
    """A holds the lock for 5 s; B waits for it."""
    app = Application(solution, 0.1)
    if client == 0:
        hold = must_have(await app.acquire(), "the lock was free")
        await app.work(hold, 5.0)
        await hold.release()
        return
    await app.clock.sleep(1.0)
    hold = must_have(await app.acquire(wait_s=9.0), "it was released before the wait was over")
    await hold.release()


async def herd(client, solution):
    """A holds the lock and seven others wait for it in vain."""
    app = Application(solution, 0.1)
    if client == 0:
        hold = must_have(await app.acquire(ttl=60.0), "the lock was free")
        await app.work(hold, 29.0, 29.0)
        return
    await app.clock.sleep(1.0)
    await app.acquire(wait_s=24.0)


async def as_written(client, solution):
    """What the signature says counts when nothing else is said: one try, no nesting, nobody to tell."""
    app = Application(solution, 0.1)
    hold = must_have(await app.acquire(), "the lock was free")
    tries = app.service.tries
    if await app.call("acquire('job', ttl)", app.slack, app.client.acquire("job", TTL)) is not None:
        broke("one owner", "acquire('job', ttl) of a task that held the lock returned a handle. reentrant is False if nothing "
              "else is said.")
    if app.service.tries != tries + 1:
        broke("tries", f"With acquire('job', ttl) the service was asked {app.service.tries - tries} times. wait_s is 0 if "
              "nothing else is said: one try.")
    await hold.release()


async def bounds(client, solution):
    """No wait without an end."""
    app = Application(solution, 0.1)
    hold = must_have(await app.acquire(), "the lock was free")
    for wait_s in (None, float("inf"), float("nan"), -1, -0.5):
        tries = app.service.tries
        try:
            await app.client.acquire("report", TTL, wait_s)
        except ValueError:
            pass
        except TypeError as error:
            broke("bounded", f"acquire() with wait_s={wait_s!r} raised TypeError: {error}. What is no number of seconds from 0 "
                  "on is a ValueError.")
        else:
            broke("bounded", f"acquire() took wait_s={wait_s!r}. It raises ValueError: there is no waiting without an end, "
                  "nor for less than no time.")
        if app.service.tries != tries:
            broke("bounded", f"With wait_s={wait_s!r} the service was asked before ValueError was raised.")
    app.look()
    await hold.release()
    for wait_s in (7200, 1e6):
        try:
            hold = must_have(await app.acquire("report", wait_s), "the lock was free")
        except ValueError:
            broke("bounded", f"acquire() raised ValueError for wait_s={wait_s!r}. That is a number of seconds from 0 on, and "
                  "there is no greatest one.")
        await hold.release()


async def unlucky(client, solution):
    """One client asks for a free lock and has bad luck on the way."""
    app = Application(solution)
    hold = must_have(await app.acquire(wait_s=14.0), "it was free, or free again when an unheard grant ran out")
    await app.work(hold, 5.0)
    await hold.release()
    await app.linger(5.0)


async def impatient(client, solution):
    """The same with one try."""
    app = Application(solution)
    hold = await app.acquire()
    if hold is not None:
        await hold.release()
    await app.linger(5.0)


async def out_of_luck(client, solution):
    """All messages of a wait get lost."""
    app = Application(solution)
    await app.acquire(wait_s=5.0)


async def too_late(client, solution):
    """A lease so short that a slow answer outlasts it."""
    app = Application(solution)
    hold = must_have(await app.acquire(wait_s=6.0, ttl=0.5), "it was free")
    await hold.release()
    await app.acquire(ttl=0.5)


async def cancelled(client, solution):
    """A task that waits is cancelled: while it sleeps, while its first try is under way, and after its grant."""
    app = Application(solution)
    if client == 0:
        hold = must_have(await app.acquire(), "the lock was free")
        await app.work(hold, 3.5)
        await hold.release()
        await app.linger()
        return
    await app.clock.sleep(1.0)
    for pause, what in ((0.5, "job"), (TICK / 2, "report"), (TICK * 3 / 2, "letter")):
        task = app.spawn(app.acquire(what, 60.0))
        await app.clock.sleep(pause)
        task.cancel()
        tries = app.service.tries
        await app.clock.sleep(TTL)
        if app.service.tries != tries:
            broke("nothing goes on for the cancelled", f"A task that waited for {what} was cancelled, and the service was "
                  "asked again after that. Whatever works for a waiter ends with it.")
    await app.clock.sleep(TTL)
    for what in ("job", "report", "letter"):
        hold = must_have(await app.acquire(what), f"nobody holds it: the task that asked for {what} was cancelled long ago")
        await hold.release()


# ---- nesting


async def nest(client, solution):
    """Three handles of one grant, released in different orders."""
    app = Application(solution, 0.1)
    for order in ((2, 1, 0), (0, 1, 2), (1, 0, 2)):
        # However the first was acquired.
        first = must_have(await app.acquire(reentrant=order[0] == 1), "the lock was free")
        holds = [first, await app.acquire(reentrant=True), await app.acquire("job", 3.0, True, 2.0)]
        await app.work(first, 4.0)
        for n in order:
            await holds[n].release()
            await holds[n].release()
            await app.work(first, 1.0)
            app.look()
    hold = must_have(await app.acquire(), "all its handles had been released")
    await hold.release()


async def nest_for_long(client, solution):
    """The inner handle outlives the outer one by several ttl, and the grant is renewed all the same."""
    app = Application(solution, 0.1)
    outer = must_have(await app.acquire(), "the lock was free")
    inner = must_have(await app.acquire(reentrant=True), "its own task held it")
    await outer.release()
    await app.work(inner, 3 * TTL)
    if inner.over.is_set():
        broke("no needless loss", "The lease was lost after the outer of two handles had been released.")
    await inner.release()
    await app.linger()


async def strangers(client, solution):
    """The lock is held by one task. Another task, another client and the holder itself without reentrant ask for it."""
    app = Application(solution, 0.1)
    hold = must_have(await app.acquire(reentrant=True), "the lock was free")
    for who, ask in (
        ("another task", app.spawn(app.acquire("job", 0.5, True))),
        ("another task", app.spawn(app.acquire("job", 0.5, False))),
    ):
        if await ask is not None:
            broke("one owner", f"{who} of the process got the lock too.")
    if await app.acquire("job", 0.5) is not None:
        broke("one owner", "The holder got the lock a second time, without reentrant=True.")
    other = Application(solution, 0.1, app.service, app.clock)
    if await other.acquire("job", 0.5, True) is not None:
        broke("one owner", "The same task got the lock a second time, through another client.")
    app.look()
    inner = must_have(await app.acquire(reentrant=True), "its own task held it")
    await inner.release()
    await hold.release()
    for ask in (app.acquire("job", 0.5, True), other.acquire("job", 0.5, True)):
        hold = must_have(await app.spawn(ask), "it had been released")
        app.look()
        # This task is not its owner; the one that was has ended.
        await app.operator_frees(hold)
        await hold.over.wait(TTL)


async def two_names(client, solution):
    """A task that holds one lock asks for another one, and then for both again."""
    app = Application(solution, 0.1)
    for reentrant in (True, False):
        job = must_have(await app.acquire(reentrant=reentrant), "the lock was free")
        for name in ("report", "letter"):
            report = await app.acquire(name, reentrant=reentrant)
            if report is None:
                broke("each name is a lock", f"A task that held 'job' asked for {name!r}, which was free, with "
                      f"reentrant={reentrant}, and got None. Names have nothing to do with each other: a task may hold "
                      "several locks.")
            for hold in (job, report):
                inner = must_have(await app.acquire(hold.name, reentrant=True), f"its own task held {hold.name!r}")
                await inner.release()
                app.look()
            await report.release()
            app.look()
        await app.work(job, TTL)
        await job.release()


async def steal(hold):
    """Another task than the owner releases."""
    await hold.handle.release()


async def thief(client, solution):
    """A task releases what another one holds."""
    app = Application(solution, 0.1)
    outer = must_have(await app.acquire(), "the lock was free")
    inner = must_have(await app.acquire(reentrant=True), "its own task held it")
    for hold in (inner, outer, inner):
        before = outer.lease.releases
        task = app.spawn(steal(hold))
        try:
            await task
        except RuntimeError:
            pass
        else:
            broke("a stranger's release", "Another task than the owner released a handle, and no RuntimeError was raised.")
        if outer.lease.releases != before:
            broke("a stranger's release", "Another task than the owner released a handle, and the service was told.")
        app.look()
        await app.work(outer, 1.0)
    await inner.release()
    app.look()
    await app.work(outer, 1.0)
    await outer.release()
    hold = must_have(await app.acquire(), "all its handles had been released")
    await hold.release()


# ---- loss


async def tell_all(client, solution, raises=False):
    """Four handles of one grant, one of them released, and the grant is lost."""
    app = Application(solution)
    holds = [must_have(await app.acquire(reentrant=True, raises=raises), "the lock was free, or its own") for _ in range(4)]
    # One that nobody wants to hear of.
    await app.client.acquire("job", TTL, 0, True)
    await holds[2].release()
    await app.work(holds[0], 5.0)
    await app.operator_frees(holds[0])
    await app.clock.sleep(TTL)
    for n in (0, 1, 3):
        if not holds[n].told:
            which = "The first of three handles" if n == 0 else "A nested handle"
            broke("all are told", f"{which} of a grant that was lost had not been told {TTL:g} s later. Each handle has an "
                  "on_lost of its own, and each is called.")
    for hold in holds:
        await hold.release()
    await app.linger()


async def tell_all_though_one_raises(client, solution):
    """The same, and every on_lost raises."""
    await tell_all(client, solution, True)


async def again(client, solution):
    """The lock is lost and taken anew by the same task; the handles of the old grant are released late."""
    app = Application(solution)
    old = [must_have(await app.acquire(reentrant=True), "the lock was free, or its own") for _ in range(2)]
    await app.work(old[0], 5.0)
    await app.operator_frees(old[0])
    await old[0].over.wait(TTL)
    new = [must_have(await app.acquire("job", 1.0, True), "the old grant was lost, and the lock was free") for _ in range(2)]
    await app.work(new[0], 1.0)
    for hold in old:
        await hold.release()
        app.look()
    # Nor does their end make the client forget the new one.
    third = must_have(await app.acquire("job", 0, True), "its own task held it")
    await third.release()
    app.look()
    await app.work(new[0], TTL)
    await new[1].release()
    app.look()
    await app.work(new[0], TTL)
    if any(hold.over.is_set() for hold in new):
        broke("no needless loss", "The new grant was lost although nothing had gone wrong with it.")
    await new[0].release()
    await app.linger()


async def brink(client, solution):
    """At the very deadline, before any other task has its turn, the task asks for the lock again."""
    app = Application(solution)
    old = must_have(await app.acquire(), "the lock was free")
    app.service.is_cut = True
    await app.clock.sleep(old.lease.deadline - app.clock())
    app.service.is_cut = False
    app.look()
    new = must_have(await app.acquire("job", 1.0, True), "the old lease had run out")
    await app.clock.sleep(1.0)
    app.look()
    inner = must_have(await app.acquire("job", 0, True), "its own task held it")
    await old.release()
    await inner.release()
    app.look()
    await app.work(new, 2 * TTL)
    if new.over.is_set():
        broke("no needless loss", "The new grant was lost although nothing had gone wrong with it.")
    await new.release()
    await app.linger()


async def brink_release(client, solution):
    """At the very deadline, before any other task has its turn, one of two handles is released."""
    app = Application(solution)
    outer = must_have(await app.acquire(), "the lock was free")
    inner = must_have(await app.acquire(reentrant=True), "its own task held it")
    app.service.is_cut = True
    await app.clock.sleep(outer.lease.deadline - app.clock())
    await inner.release()
    await outer.over.wait(2.0)
    if not outer.told:
        broke("all are told", "One of two handles was released at the deadline, and 2 s later the other one had not been "
              "told of the loss.")
    await outer.release()
    await app.linger()


# ---- async with


async def bodies(client, solution):
    """The lock is released however the body ends."""
    app = Application(solution)
    for how in ("well", "badly", "cancelled"):
        task = app.spawn(body(app, how))
        await app.clock.sleep(2.0)
        hold = app.holds[-1]
        if how == "cancelled":
            let_go(hold)
            task.cancel()
        await app.clock.sleep(4.0)
        if not task.done():
            broke("a body ends", f"A body of async with ended {how}, and 4 s later the task had not.")
        if not hold.lease.releases:
            broke("a body ends", f"A body of async with ended {how}, and the service was not told that the lock is free.")
    await app.linger()


async def bodies_that_raise(client, solution):
    """Whatever the body raises comes out."""
    app = Application(solution, 0.1)
    for error in (ValueError("own"), KeyError("own"), OSError("own"), TypeError("own"), RuntimeError("own"),
                  TransportError("own"), StaleFencingToken("own"), AssertionError("own"), ZeroDivisionError("own"),
                  StopAsyncIteration("own"), AttributeError("own"), KeyboardInterrupt("own")):
        hold = must_have(await app.acquire(), "it was free")
        seen = None
        try:
            async with hold.handle:
                let_go(hold)
                raise error
        except (Exception, KeyboardInterrupt) as caught:
            seen = caught
        if seen is not error:
            came = "no exception came out" if seen is None else f"a {type(seen).__name__} came out"
            broke("a body's exception", f"A body of async with raised a {type(error).__name__}, and {came}. The body's "
                  "exception comes out as it is: __aexit__ returns nothing true, and catches none but its own.")
        hold.look()
    await app.linger()


def let_go(hold):
    """The body is about to end, and with it the hold."""
    hold.released = True
    note("released", {"hold": hold.id, "lease": hold.lease.id})
    hold.shows.goes("released", "the block ended")


async def body(app, how):
    hold = must_have(await app.acquire(how), "it was free")
    seen = None
    try:
        async with hold.handle as given:
            if given is not hold.handle:
                broke("a body ends", "async with handle as x gives the handle itself.")
            await app.clock.sleep(10.0 if how == "cancelled" else 1.0)
            let_go(hold)
            if how == "badly":
                raise LookupError("the application's own")
    except LookupError:
        seen = "badly"
    except Cancelled:
        seen = "cancelled"
    except TransportError:
        seen = "TransportError"
    if seen != {"well": None}.get(how, how):
        broke("a body's exception", f"A body of async with that ended {how} seemed to end with "
              f"{seen or 'no exception'}. The body's exception comes out as it is; a release that fails adds none.")
    hold.look()


# ---- on_release


class Question:
    """One on_release()."""

    __slots__ = ("app", "id", "name", "cancel_it", "told")

    def __init__(self, app, name="job"):
        app.service.last += 1
        self.app = app
        self.id = app.service.last
        self.name = name
        self.told = 0
        note("asks", {"question": self.id, "name": name})
        self.cancel_it = app.client.on_release(name, self.callback)
        if not callable(self.cancel_it):
            broke("on_release", f"on_release() returned {self.cancel_it!r}. It returns the function cancel(), and is not "
                  "async.")

    def callback(self):
        self.told += 1
        note("says", f"is told that {self.name} is free")
        if current_task() in self.app.tasks:
            broke("who tells", "The callback of on_release() was called by a task of the application, not of the client.")
        note("told free", {"question": self.id, "name": self.name})

    def cancel(self):
        note("says", f"no longer wants to know when {self.name} is free")
        note("unasks", {"question": self.id, "name": self.name})
        self.cancel_it()


async def holder(app, seconds, ttl=TTL):
    hold = must_have(await app.acquire(ttl=ttl), "the lock was free")
    await app.work(hold, seconds)
    await hold.release()


async def listen(client, solution):
    """A holds the lock; B wants to know when it is free."""
    app = Application(solution)
    if client == 0:
        await holder(app, 7.0)
        await app.clock.sleep(20.0)
        await holder(app, 2.0)
        return
    await app.clock.sleep(1.0)
    questions = [Question(app), Question(app)]
    await app.clock.sleep(15.0)
    # Free already.
    questions.append(Question(app))
    await app.clock.sleep(20.0)
    if [question.told for question in questions] != [1, 1, 1]:
        broke("told once", "Three callbacks were given, and the lock was free for long: they were called "
              f"{[question.told for question in questions]} times.")
    await none_left(app)
    for question in questions:
        question.cancel()
    await app.clock.sleep(1.0)


async def no_longer(client, solution):
    """B wants to know when the lock is free, and then no longer: at once, soon, and later."""
    app = Application(solution)
    if client == 0:
        await holder(app, 40.0, 60.0)
        return
    await app.clock.sleep(1.0)
    for seconds in (None, 0.0, TICK, 2 * TICK, 1.0, 8.0):
        question = Question(app)
        if seconds is not None:
            await app.clock.sleep(seconds)
        question.cancel()
        question.cancel()
        await app.clock.sleep(0.5)
        await none_left(app)
    # One that still wants to know.
    last = Question(app)
    await app.clock.sleep(40.0)
    if not last.told:
        broke("told once", "Of several questions all but the last were cancelled, the lock was free for long, and the last "
              "callback had not been called.")


async def just_freed(client, solution):
    """B wants to know when the lock is free, and no longer: while the news is on its way."""
    app = Application(solution)
    for n in range(9):
        start = 8.0 * n
        if client == 0:
            await app.clock.sleep(start - app.clock())
            hold = must_have(await app.acquire(), "nobody else takes it")
            await app.clock.sleep(start + 3.0 - app.clock())
            await hold.release()
            continue
        await app.clock.sleep(start + 1.0 - app.clock())
        question = Question(app)
        await app.clock.sleep(start + 3.0 + n * TICK / 2 - app.clock())
        question.cancel()
        await app.clock.sleep(2.0)
        await none_left(app)


async def just_told(client, solution):
    """The lock is free. B wants to know, and a moment later no longer."""
    app = Application(solution)
    if client == 0:
        return
    for ticks in range(10):
        question = Question(app)
        if ticks:
            await app.clock.sleep(ticks * TICK)
        question.cancel()
        await app.clock.sleep(2.0)
        await none_left(app)


async def none_left(app):
    count = await _call("locks", "watchers", "job")
    if count:
        broke("no watch is left", f"At {app.clock():g} s the service still kept {count} of this client's watches, although "
              "nobody wanted to know any more. A watch that is no longer wanted is taken back with close().")


async def listen_for_long(client, solution, rounds=10):
    """A holds the lock for 30 s; B wants to know, and watches get lost."""
    app = Application(solution)
    if client == 0:
        hold = must_have(await app.acquire(ttl=60.0), "the lock was free")
        for _ in range(rounds):
            # So that a script can say when the service restarts.
            await _call("locks", "watchers", "job")
            await app.work(hold, 3.0)
        await hold.release()
        return
    await app.clock.sleep(1.0)
    question = Question(app)
    await app.clock.sleep(50.0)
    if app.service.watches > MOST_WATCHES:
        broke("no hail", f"The lock was held for {3 * rounds} s, and {app.service.watches} watches were left to hear of one "
              "release. A new one is left after WATCH_S seconds without a word, no sooner.")
    question.cancel()
    await app.clock.sleep(1.0)


async def listen_late(client, solution):
    """A releases soon after B's watch got lost, and that one was new: WATCH_S is a while from now."""
    app = Application(solution)
    if client == 0:
        hold = must_have(await app.acquire(), "the lock was free")
        await app.clock.sleep(3.0 - app.clock())
        # So that a script can say when the service restarts.
        await _call("locks", "watchers", "job")
        await app.work(hold, 0.5)
        await hold.release()
        return
    await app.clock.sleep(2.75)
    question = Question(app)
    await app.clock.sleep(20.0)
    question.cancel()


async def listen_briefly(client, solution):
    """The same for 6 s."""
    await listen_for_long(client, solution, 2)
