"""The application around a learner's LockRegistry: owners that take a lock, take it again inside, and give it back.

The Desk stands between them. It knows from the calls that the service gets, and from what the application was given,
who holds what, and holds every answer of the registry against that.
"""

import _leasehold
from _leasehold_driver import Shows, broke
from leasehold import BadRequest, Cancelled, Clock, LockService, TransportError, spawn

note = _leasehold.note
clock = Clock()
TICK = 1 / 64
TTL = 8.0
JOB = "job"
REPORT = "report"
X = "worker x"
Y = "worker y"
# Nearly X, and each of them another owner.
NEARLY_X = ("worker", "worker x2", "Worker X", "worker x ")


def says(text):
    note("says", text)


def equal(text):
    """The same text as another object: owners are compared by ==."""
    return "".join(list(text))


class Service(LockService):
    """The lock service as the registry gets it."""

    __slots__ = ("desk",)

    async def acquire(self, name, ttl):
        self.desk.asks(name, ttl)
        grant = None
        asked = clock()
        try:
            grant = await LockService.acquire(self, name, ttl)
        except TransportError:
            self.desk.raised[name] = self.desk.raised.get(name, 0) + 1
            raise
        finally:
            self.desk.hears(name, grant, asked)
        if grant is None:
            self.desk.refusals += 1
        return grant

    async def release(self, name, ownership_token):
        self.desk.gives_back(name, ownership_token)
        return await LockService.release(self, name, ownership_token)

    async def renew(self, name, ownership_token, ttl):
        broke("no renewal", "The registry called renew(). A re-entrant acquire does not lengthen the lease, and renewing "
              "is not the registry's work.")


class Lease:
    """A grant that the service gave to this process."""

    def __init__(self, grant, asked):
        self.grant = grant
        self.token = grant.fencing_token
        self.name = grant.name
        self.until = asked + grant.ttl
        self.owner = None
        self.held = []
        # Why it is over, if it is.
        self.over = None
        # Calls of release() on its handles that have not returned.
        self.releases = 0
        # All of them have, and the service was not told yet: a task may do so, before time moves on.
        self.owed = False

    def live(self):
        return [held for held in self.held if held.state == "held"]


class Held:
    """One handle, as the application has it."""

    def __init__(self, desk, owner, raises, does, tells):
        self.desk = desk
        self.owner = owner
        self.handle = None
        self.lease = None
        #: held, releasing (release() was called and has not returned), released or lost.
        self.state = "asked for"
        # What the handle shows; there is none before acquire() gave it.
        self.shows = None
        self.told = 0
        self.raises = raises
        self.does = does
        self.tells = tells

    def on_lost(self):
        says(f"on_lost() of a handle of {self.owner} is called")
        self.desk.told(self)
        if self.told > 1:
            return
        if self.does is not None:
            self.does(self)
        if self.raises:
            raise RuntimeError("the application's own trouble")


class Desk:
    def __init__(self, solution, watched=False):
        self.service = Service()
        self.service.desk = self
        self.registry = solution["LockRegistry"](self.service)
        self.leases = {}
        self.all = []
        #: Names for which a call is under way.
        self.asking = set()
        #: How many calls of acquire() there are, by name.
        self.waiting = {}
        #: Names for which there was more than one at a time.
        self.crowded = set()
        #: Names that were asked for before such a task had its turn.
        self.overtook = set()
        #: How many calls of the service raised, by name.
        self.raised = {}
        #: How many calls of the service were refused, and how many of acquire().
        self.refusals = 0
        self.nones = 0
        #: What acquire() is given.
        self.ttl = TTL
        #: The lease whose loss is being told, and the handles that must hear of it.
        self.losing = None
        self.expected = []
        #: Those that may: their release() has begun and not come to anything yet.
        self.allowed = []
        self.watched = watched

    def live(self, name):
        return [held for held in self.all if held.state == "held" and held.lease.name == name]

    # What the registry does.

    def asks(self, name, ttl):
        if name in self.asking:
            broke("one call at a time", f"At {clock():g} s the service was asked for {name} while another call for it was "
                  "under way from this process. If the first is granted, the second is refused because of it. Wait for "
                  "the first, if its owner is the same, or refuse.")
        live = self.live(name)
        if live:
            broke("asks nobody", f"At {clock():g} s the service was asked for {name}, which {live[0].owner} holds in this "
                  "very process. What is held here is settled here: its owner gets a further handle, any other None.")
        if name not in self.waiting:
            broke("asks nobody", f"At {clock():g} s the service was asked for {name!r}, which nobody had called "
                  "acquire() for.")
        elif ttl != self.ttl:
            broke("right call", f"The service was asked for a ttl of {ttl!r}. acquire() had been given {self.ttl!r}.")
        if any(lease.owed and lease.over is None for lease in self.leases.values() if lease.name == name):
            self.overtook.add(name)
        self.asking.add(name)

    def hears(self, name, grant, asked):
        self.asking.discard(name)
        if grant is not None:
            lease = self.leases[grant.fencing_token] = Lease(grant, asked)
            if self.watched:
                spawn(self.watch(lease))

    def gives_back(self, name, ownership_token):
        lease = next((lease for lease in self.leases.values() if lease.grant.ownership_token == ownership_token), None)
        if lease is None or lease.name != name:
            broke("right call", f"release({name!r}, …) was sent to the service with what is no ownership token of a grant of "
                  f"{name}: {ownership_token!r}.")
            return
        live = lease.live()
        if live:
            many = "one handle of it is" if len(live) == 1 else f"{len(live)} handles of it are"
            broke("last release", f"At {clock():g} s {name} was given back to the service, and {many} still held. Only "
                  "the last release frees the lock.")
        if lease.over is not None:
            broke("touches nothing", f"At {clock():g} s the grant with token {lease.token} was given back to the service, "
                  f"although it had been {lease.over}.")
        self.ends(lease, f"given back at {clock():g} s")

    def ends(self, lease, how):
        lease.over = how
        if lease.owed:
            note("settled", f"token {lease.token}")

    def told(self, held):
        held.told += 1
        lease = held.lease
        if held.shows is not None:
            held.shows.goes("lost", "the registry was told that the grant is lost")
        may = held in self.expected or held in self.allowed
        if lease is None or self.losing is not lease or not may:
            why = {"released": "after its release", "lost": "a second time"}.get(held.state, "without a loss")
            broke("told once", f"At {clock():g} s on_lost of a handle of {held.owner} was called {why}. It is called exactly "
                  "once for each handle of the grant that was lost, and for no other.")
        if held.told > 1:
            broke("told once", f"At {clock():g} s on_lost of a handle of {held.owner} was called a second time.")
        if any(other.handle.is_held() for other in self.expected):
            broke("lost first", "Inside on_lost() a handle of the lost grant still said is_held(). All of them are lost "
                  "before the first one is told.")

    # What the application does.

    async def acquire(self, name, owner, raises=False, does=None, without=False, shared=None):
        """A Held, or None. `without`: no on_lost is given. `shared`: this one is, which others are given, too."""
        held = Held(self, owner, raises, does, not without and shared is None)
        call = f"acquire({name!r}, owner={owner!r})"
        before = self.live(name)
        mine = bool(before) and before[0].owner == owner
        began = clock()
        says(f"{call} is called")
        self.waiting[name] = self.waiting.get(name, 0) + 1
        if self.waiting[name] > 1:
            self.crowded.add(name)
        raised = self.raised.get(name)
        note("calls", call)
        try:
            try:
                if without:
                    handle = await self.registry.acquire(name, self.ttl, equal(owner))
                else:
                    handle = await self.registry.acquire(name, self.ttl, equal(owner), shared or held.on_lost)
            except TransportError:
                says(f"{call} raises TransportError")
                if before:
                    broke("asks nobody", f"{call} raised TransportError, although {before[0].owner} held {name} in this "
                          "process: the service need not be asked.")
                return None
        finally:
            note("returns", call)
            alone = name not in self.crowded
            self.waiting[name] -= 1
            if not self.waiting[name]:
                del self.waiting[name]
                self.crowded.discard(name)
        if alone and self.raised.get(name) != raised:
            broke("exceptions pass", f"The service raised TransportError, and {call} gave {handle!r}. Whether the lock was "
                  "granted is unknown, and that is not the same as a refusal: the caller must hear of it.")
        if before and clock() != began:
            broke("at once", f"{call} took from {began:g} s to {clock():g} s, although {before[0].owner} held {name} in this "
                  "process. What is held here is settled at once.")
        if handle is None:
            says(f"{call} gives None")
            self.nones += 1
            if mine:
                broke("re-entrant", f"{call} gave None, although {owner} holds {name} in this process. Its owner gets a "
                      "further handle of the same grant.")
            self.look()
            return None
        self.gives(held, handle, name, owner, call)
        return held

    def gives(self, held, handle, name, owner, call):
        for method in ("is_held", "release"):
            if not callable(getattr(handle, method, None)):
                broke("handle", f"{call} gave {handle!r}, which has no method {method}.")
        token = getattr(handle, "fencing_token", None)
        says(f"{call} gives a handle with token {token}")
        lease = self.leases.get(token)
        if any(other.handle is handle for other in self.all):
            broke("handle", f"{call} gave a handle that it had given before. Each acquire has a handle of its own.")
        if lease is None or lease.name != name:
            broke("token", f"{call} gave a handle with fencing_token {token!r}, which is that of no grant of {name} to this "
                  "process. It is the grant's, unchanged.")
            return
        held.handle, held.lease = handle, lease
        if lease.over is not None:
            broke("dead grant", f"At {clock():g} s {call} gave a handle of the grant with token {token}, which had been "
                  f"{lease.over}. It is nobody's now: ask the service anew.")
        if lease.owner is None:
            lease.owner = owner
        if lease.owner != owner:
            broke("another owner", f"{call} gave a handle of the grant with token {token}, which is {lease.owner}'s. In the "
                  "same process another owner is as much another as in any other one.")
        held.state = "held"
        held.shows = Shows(name, len(self.all))
        held.shows.goes("held", "acquire() gave it" if not lease.held else "its owner held the lock already")
        lease.held.append(held)
        self.all.append(held)
        self.look()

    async def release(self, held, owner=None):
        owner = held.owner if owner is None else owner
        lease = held.lease
        says(f"release({owner!r}) of a handle with token {lease.token} is called")
        if owner != held.owner:
            return await self.release_by_another(held, owner)
        if held.state == "held":
            held.state = "releasing"
            held.shows.goes("released", "release() was called")
        lease.releases += 1
        call = f"release({owner!r}) of a handle with token {lease.token}"
        note("calls", call)
        try:
            await held.handle.release(equal(owner))
        except TransportError:
            says("release() raises TransportError")
        except Cancelled:
            self.releases_no_more(held, call)
            raise
        except RuntimeError as error:
            broke("release by its owner", f"{call}, which was that of {held.owner}, raised {type(error).__name__}: {error}. Its "
                  "owner may release it at any time, in whatever order.")
        self.releases_no_more(held, call)
        # While somebody waits in acquire(), a further handle may exist that was not handed over yet.
        if not self.waiting.get(lease.name):
            self.look_for_leftovers(lease)
        self.look()

    def releases_no_more(self, held, call):
        note("returns", call)
        held.lease.releases -= 1
        if held.state == "releasing":
            held.state = "released"

    def look_for_leftovers(self, lease):
        if lease.held and not lease.live() and not lease.releases and lease.over is None and not lease.owed:
            lease.owed = True
            note("owes", f"token {lease.token}")

    async def release_by_another(self, held, owner):
        over = held.lease.over
        was_held = held.state == "held"
        try:
            await held.handle.release(owner)
        except RuntimeError:
            says("release() raises RuntimeError")
        else:
            if was_held:
                broke("release by another", f"release({owner!r}) of a handle of {held.owner} did not raise RuntimeError.")
        if held.lease.over != over:
            broke("release by another", f"release({owner!r}) of a handle of {held.owner} freed the lock.")
        self.look()

    def lost(self, name, token):
        """Whoever renews this grant says that it is over."""
        says(f"lost({name!r}, {token}) is called")
        lease = self.leases.get(token)
        first = lease is not None and lease.over is None and lease.name == name
        if first and lease.owed:
            # All handles were released, and a task was spawned that gives it back. It need not any more.
            note("settled", f"token {lease.token}")
            first = False
        before = self.losing, self.expected, self.allowed
        # From within an on_lost() of the same grant it changes nothing.
        if self.losing is not lease or lease is None:
            self.losing = lease
            self.expected = lease.live() if first else []
            self.allowed = [held for held in lease.held if held.state == "releasing"] if first else []
        expected = self.expected
        if first:
            for held in expected:
                held.state = "lost"
            self.ends(lease, f"lost at {clock():g} s")
        try:
            self.registry.lost(name, token)
        except Exception:
            if not any(held.raises for held in expected):
                raise
        self.losing, self.expected, self.allowed = before
        for held in expected:
            held.shows.goes("lost", "the registry was told that the grant is lost")
        missed = [held for held in expected if not held.told and held.tells] if first else []
        if missed:
            broke("told once", f"After lost({name!r}, {token}) on_lost of {len(missed)} of {len(expected)} handles had "
                  "not been called. A loss reaches every nested holder, before lost() returns.")
        self.look()

    async def watch(self, lease):
        """Plays the renewer that could not renew: when the grant is over for sure, it says so."""
        await clock.sleep(lease.until - clock())
        if lease.over is None:
            self.lost(lease.name, lease.token)

    def look(self):
        """What every handle says of itself."""
        for held in self.all:
            if held.state != "releasing" and bool(held.handle.is_held()) != (held.state == "held"):
                self.wrong(held)

    def wrong(self, held):
        if held.state != "held":
            held.shows.goes("held", "is_held() says so")
        now = f"At {clock():g} s a handle of {held.owner} with token {held.lease.token}"
        if held.state == "held":
            broke("held is held", f"{now} said that it is not held. It was neither released nor lost: one release is one "
                  "handle's.")
        else:
            broke("over is over", f"{now} said is_held(), although it had been {held.state}. That is for good.")

    def look_for_refusals(self):
        """Where only one owner asks: None is what the service said, and nothing else."""
        if self.nones and not self.refusals:
            broke("one owner", "acquire() gave None to the owner's task, and the service had refused nobody. Who waited for a "
                  "call looks again when it has ended. If that call failed, it may end in the same way, by the same "
                  "exception, or ask the service itself.")

    def settle(self):
        """At the end of a story: whatever the service granted was given to somebody."""
        for lease in self.leases.values():
            self.look_for_leftovers(lease)
            if not lease.held and lease.over is None:
                broke("grant is kept", f"The service had granted {lease.name} with token {lease.token}, and no acquire() "
                      "returned a handle of it.")
        self.look()

    async def must(self, name, owner, why, **more):
        """acquire() where the lock is there to be had."""
        self.overtook.discard(name)
        held = await self.acquire(name, owner, **more)
        if held is None and name in self.overtook:
            # The request for a new grant was sent first, and the release right after it.
            held = await self.acquire(name, owner, **more)
        if held is None:
            broke("it is granted", f"At {clock():g} s acquire({name!r}, owner={owner!r}) gave None. {why}")
        return held

    async def refused(self, name, owner):
        """acquire() where another owner of this process holds it; that it gives no handle is looked at elsewhere."""
        await self.acquire(name, owner)

    async def free_by_hand(self, held):
        """An operator frees the lock behind the holder's back."""
        says("an operator frees the lock by hand")
        await LockService().release(held.lease.name, held.lease.grant.ownership_token)


FREE = "The lock was free."
OWN = "Its owner gets a further handle."


# --- what the search goes through -------------------------------------------------------------------------------


async def first_worker(desk):
    """Takes it, takes it again inside, and gives the outer one back first."""
    outer = await desk.acquire(JOB, X)
    if outer is None:
        return
    await clock.sleep(0.25)
    inner = await desk.acquire(JOB, X)
    await desk.release(outer)
    if inner is not None:
        await clock.sleep(0.25)
        await desk.release(inner)


async def second_worker(desk):
    """Of the same owner: begins at the same instant, gives back at once, and comes again."""
    for _ in range(2):
        held = await desk.acquire(JOB, X)
        if held is not None:
            await desk.release(held)
        await clock.sleep(0.25)


async def third_worker(desk):
    await clock.sleep(0.5)
    held = await desk.acquire(JOB, Y)
    if held is not None:
        await desk.release(held)


async def crowd(client, solution):
    desk = Desk(solution, watched=True)
    for worker in (first_worker, second_worker, third_worker):
        spawn(worker(desk))
    await clock.sleep(4 * TTL)
    desk.settle()


# --- the named tests --------------------------------------------------------------------------------------------


async def nested(client, solution):
    """Three deep, given back in three orders."""
    desk = Desk(solution)
    for order in ((2, 1, 0), (0, 1, 2), (1, 2, 0)):
        handles = [await desk.must(JOB, X, FREE)]
        for _ in range(2):
            await clock.sleep(0.25)
            handles.append(await desk.must(JOB, X, OWN))
        for n in order:
            await clock.sleep(0.25)
            await desk.release(handles[n])
    # How deep it goes has no limit. It takes its time, because each step has a work budget, and all handles are looked at.
    handles = []
    for n in range(24):
        handles.append(await desk.must(JOB, X, OWN if n else FREE))
        await clock.sleep(TICK)
    for held in handles:
        await desk.release(held)
        await clock.sleep(TICK)
    desk.settle()


async def in_and_out(client, solution):
    """Inside and out again several times before the last release: the count goes up and down."""
    desk = Desk(solution)
    for _ in range(2):
        outer = await desk.must(JOB, X, FREE)
        for _ in range(3):
            inner = await desk.must(JOB, X, OWN)
            await desk.release(inner)
        await desk.release(outer)
    desk.settle()


async def long_nest(client, solution):
    """The lease is not renewed by going inside: the application's renewer says when it is over."""
    desk = Desk(solution, watched=True)
    outer = await desk.must(JOB, X, FREE)
    await clock.sleep(TTL - 1)
    inner = await desk.must(JOB, X, OWN)
    await clock.sleep(2)
    await desk.release(inner)
    await desk.release(outer)
    again = await desk.must(JOB, X, "The lease was over, and nobody else wanted the lock.")
    await desk.release(again)
    desk.settle()


async def renewed(client, solution):
    """The application renews the grant, again and again: it outlasts the ttl, and is held until it is given back."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    grant = outer.lease.grant
    for n in range(4):
        await clock.sleep(TTL / 2 + 1)
        says("the application renews the grant")
        if not await LockService().renew(JOB, grant.ownership_token, TTL):
            broke("held is held", f"At {clock():g} s the service had no such grant any more, although {X} held it and it had "
                  "been renewed in time.")
        inner = await desk.must(JOB, X, OWN)
        await desk.refused(JOB, Y)
        await desk.release(inner)
    await desk.release(outer)
    other = await desk.must(JOB, Y, FREE)
    await desk.release(other)
    desk.settle()


async def another_owner(client, solution):
    """Y asks while X holds it once, twice, once again, and no more."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    await desk.refused(JOB, Y)
    for other in NEARLY_X:
        await desk.refused(JOB, other)
    inner = await desk.must(JOB, X, OWN)
    await desk.refused(JOB, Y)
    await desk.release(inner)
    await desk.refused(JOB, Y)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(outer)
    await desk.refused(JOB, Y)
    await desk.release(inner)
    other = await desk.must(JOB, Y, FREE)
    await desk.refused(JOB, X)
    await desk.release(other)
    desk.settle()


async def another_process(client, solution):
    """B holds it twice. A has an owner of the same name, in a process of its own."""
    desk = Desk(solution)
    if client == 1:
        outer = await desk.must(JOB, X, FREE)
        inner = await desk.must(JOB, X, OWN)
        await clock.sleep(2 - clock())
        await desk.release(inner)
        await clock.sleep(4 - clock())
        await desk.release(outer)
    else:
        for seconds in (1, 3):
            await clock.sleep(seconds - clock())
            if await desk.acquire(JOB, X) is not None:
                broke("another process", "A was given the lock while B held it.")
        await clock.sleep(5 - clock())
        held = await desk.must(JOB, X, FREE)
        inner = await desk.must(JOB, X, OWN)
        await desk.release(held)
        await desk.release(inner)
    desk.settle()


async def by_another(client, solution):
    """Y tries to give back what X holds."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    await desk.release(outer, Y)
    await desk.release(outer, Y)
    for other in NEARLY_X:
        await desk.release(outer, other)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(inner, Y)
    await desk.release(outer, Y)
    await desk.release(inner)
    await desk.refused(JOB, Y)
    await desk.release(outer, Y)
    await desk.release(outer)
    # What is Y's now, X can't give back.
    other = await desk.must(JOB, Y, FREE)
    await desk.release(outer)
    await desk.release(other, X)
    await desk.release(other)
    desk.settle()


async def twice(client, solution):
    """A handle is given back twice: the second time means nothing, least of all the outer one's release."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(inner)
    await desk.release(inner)
    await desk.refused(JOB, Y)
    await desk.release(outer)
    await desk.release(outer)
    later = await desk.must(JOB, X, FREE)
    await desk.release(inner)
    await desk.release(outer)
    await desk.release(later)
    desk.settle()


async def twice_at_once(client, solution):
    """Two tasks release the same handle at the same time."""
    desk = Desk(solution)
    for _ in range(2):
        held = await desk.must(JOB, X, FREE)
        tasks = [spawn(desk.release(held)), spawn(desk.release(held))]
        for task in tasks:
            await task
        await clock.sleep(TTL + 2 - clock() % 1)
    desk.settle()


async def loss(client, solution):
    """Of four nested handles one was given back. The other three hear of the loss, once."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    gone = await desk.must(JOB, X, OWN)
    await desk.must(JOB, X, OWN, without=True)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(gone)
    desk.lost(JOB, outer.lease.token)
    desk.lost(JOB, outer.lease.token)
    await desk.release(inner)
    await desk.release(outer)
    await desk.release(outer)
    desk.lost(JOB, outer.lease.token)
    desk.settle()


async def shared_callback(client, solution):
    """Three handles were given the same function: it is called for each that is held."""
    desk = Desk(solution)
    calls = []

    def on_lost():
        says("the shared on_lost() is called")
        calls.append(clock())

    outer = await desk.must(JOB, X, FREE, shared=on_lost)
    gone = await desk.must(JOB, X, OWN, shared=on_lost)
    await desk.must(JOB, X, OWN, shared=on_lost)
    await desk.release(gone)
    desk.lost(JOB, outer.lease.token)
    if len(calls) != 2:
        broke("told once", f"Two handles of the lost grant were held, which had been given the same function as on_lost, and "
              f"it was called {len(calls)} times. It is called once for each handle.")
    desk.settle()


async def loss_of_others(client, solution):
    """What is lost is a grant: not another name's, and not one that never was."""
    desk = Desk(solution)
    job = await desk.must(JOB, X, FREE)
    report = await desk.must(REPORT, X, FREE)
    other = await desk.must("invoice", Y, FREE)
    desk.lost(REPORT, job.lease.token)
    desk.lost(JOB, 99)
    desk.lost("nothing", job.lease.token)
    desk.lost(REPORT, report.lease.token)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(job)
    await desk.release(inner)
    desk.lost(JOB, job.lease.token)
    await desk.release(report)
    await desk.release(other)
    desk.settle()


async def after_loss(client, solution):
    """Lost with two handles, and taken again. Then the old handles are given back, in between the new ones."""
    for old_first in (True, False):
        desk = Desk(solution)
        outer = await desk.must(JOB, X, FREE)
        inner = await desk.must(JOB, X, OWN)
        await desk.free_by_hand(outer)
        desk.lost(JOB, outer.lease.token)
        again = await desk.must(JOB, X, "The old grant was lost and the lock free.")
        if old_first:
            await desk.release(inner)
            await desk.release(outer)
        nested = await desk.must(JOB, X, OWN)
        desk.lost(JOB, outer.lease.token)
        await desk.release(nested)
        await desk.refused(JOB, Y)
        if not old_first:
            await desk.release(inner)
        await desk.release(again)
        await desk.release(inner)
        await desk.release(outer)
        other = await desk.must(JOB, Y, FREE)
        await desk.release(outer)
        await desk.release(other)
        desk.settle()
        # The next desk knows nothing of a release that is left to a task.
        await clock.sleep(TICK)


async def released_then_lost(client, solution):
    """An old grant's loss comes when its owner has a new one."""
    desk = Desk(solution)
    first = await desk.must(JOB, X, FREE)
    await desk.release(first)
    second = await desk.must(JOB, X, FREE)
    desk.lost(JOB, first.lease.token)
    inner = await desk.must(JOB, X, OWN)
    await desk.release(second)
    desk.lost(JOB, first.lease.token)
    await desk.release(inner)
    desk.settle()


async def lost_while_asking(client, solution):
    """An old grant's loss comes while its owner's call is under way, and then another task of that owner asks."""
    desk = Desk(solution)
    first = await desk.must(JOB, X, FREE)
    await desk.release(first)
    tasks = [spawn(take(desk, X))]
    await clock.sleep(TICK / 2)
    desk.lost(JOB, first.lease.token)
    tasks.append(spawn(take(desk, X)))
    for task in tasks:
        await task
    desk.settle()


async def troubled(client, solution):
    """Callbacks that raise, that tell the loss again, that give back, and that take the lock again at once."""
    desk = Desk(solution)
    tasks = []
    for raising in range(3):
        first = await desk.must(JOB, X, FREE, raises=raising == 0)
        await desk.must(JOB, X, OWN, raises=raising == 1,
                        does=lambda held: desk.lost(JOB, held.lease.token))
        await desk.must(JOB, X, OWN, does=lambda held: tasks.append(spawn(desk.release(held))))
        await desk.must(JOB, X, OWN, raises=raising == 2,
                        does=lambda held: tasks.append(spawn(again(desk))))
        await desk.must(JOB, X, OWN)
        await desk.free_by_hand(first)
        desk.lost(JOB, first.lease.token)
        await clock.sleep(1.0)
    desk.settle()


async def again(desk):
    """Takes the lock anew when it was lost."""
    held = await desk.must(JOB, X, "The old grant was lost and the lock free.")
    await desk.release(held)


async def take(desk, owner, name=JOB, after=0.0, keeps=1.0):
    await clock.sleep(after)
    held = await desk.acquire(name, owner)
    if held is not None:
        if keeps:
            await clock.sleep(keeps)
        await desk.release(held)
    return held


async def one_owner(client, solution):
    """Three tasks of one owner begin at once; then again, and the first gives back as soon as it has the lock."""
    desk = Desk(solution)
    for keeps in (1.0, 0.0):
        tasks = [spawn(take(desk, X, keeps=keeps)), spawn(take(desk, X)), spawn(take(desk, X, after=TICK))]
        got = [await task for task in tasks]
        if not any(held is not None for held in got):
            if not desk.leases:
                # The request was lost, and nobody had to try again.
                continue
            broke("it is granted", "Three tasks of one owner asked for a free lock, and none of them got it.")
        if keeps and desk.leases and any(held is None for held in got):
            broke("one owner", "Three tasks of one owner asked for a free lock at about the same time. One of them got it, "
                  "another None. They are one owner: who comes while the call is under way waits for it.")
        await clock.sleep(0.5)
    desk.settle()


async def one_owner_fails(client, solution):
    """The call that three tasks of one owner wait for fails. None of them hangs, and later the lock is taken."""
    desk = Desk(solution)
    tasks = [spawn(take(desk, X)), spawn(take(desk, X)), spawn(take(desk, X, after=TICK))]
    for task in tasks:
        await task
    desk.look_for_refusals()
    await clock.sleep(2 * TTL)
    held = await desk.must(JOB, X, "Whatever the service had granted before was over.")
    await desk.release(held)


async def lost_as_it_came(client, solution):
    """A grant is lost as soon as its first holder has it. Another task of the owner waits for that very call."""
    desk = Desk(solution)
    over = []

    async def first():
        held = await desk.must(JOB, X, FREE)
        over.append(held.lease.token)
        desk.lost(JOB, held.lease.token)

    async def second():
        desk.waiting[JOB] = desk.waiting.get(JOB, 0) + 1
        handle = await desk.registry.acquire(JOB, TTL, equal(X))
        # It may have been made before the loss; then it is lost, too.
        if handle is not None and handle.fencing_token in over and handle.is_held():
            broke("dead grant", f"At {clock():g} s acquire() gave a task that had waited a handle of the grant with token "
                  f"{handle.fencing_token}, which said is_held(), although that grant was lost. Who waited looks again.")

    tasks = [spawn(first()), spawn(second())]
    for task in tasks:
        await task


async def two_owners(client, solution):
    """X and Y begin at once, and each tries again until it has had its turn."""
    desk = Desk(solution)

    async def until_it_has_it(owner):
        for _ in range(12):
            if await take(desk, owner, keeps=0.5) is not None:
                return
            await clock.sleep(1.0)
        broke("it is granted", f"At {clock():g} s {owner} had tried twelve times in vain, and nobody held the lock.")

    tasks = [spawn(until_it_has_it(X)), spawn(until_it_has_it(Y))]
    for task in tasks:
        await task
    # A lost release leaves it with the service for a ttl.
    desk.settle()


async def while_it_goes(client, solution):
    """The last release is under way when the same owner, and then another, ask again."""
    desk = Desk(solution)
    for owner in (X, Y):
        outer = await desk.must(JOB, X, FREE)
        tasks = [spawn(desk.release(outer)), spawn(take(desk, owner, after=TICK / 2)), spawn(take(desk, X, after=TICK))]
        for task in tasks:
            await task
        await clock.sleep(TTL + 2)
    desk.settle()


async def release_cancelled(client, solution):
    """The task that releases the last handle is cancelled while the service is asked: the grant is over all the same."""
    desk = Desk(solution)
    for owner in (X, Y):
        held = await desk.must(JOB, X, FREE)
        task = spawn(let_go(desk, held))
        await clock.sleep(TICK / 2)
        says("the task that releases is cancelled")
        task.cancel()
        await task
        await clock.sleep(2 * TTL)
        again = await desk.must(JOB, owner, "The last handle of the old grant was released, and its ttl had passed, too.")
        await desk.release(again)
    desk.look()


async def let_go(desk, held):
    try:
        await desk.release(held)
    except Cancelled:
        pass


async def lost_while_it_goes(client, solution):
    """The last release is under way when the loss is told: too late."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    task = spawn(desk.release(outer))
    await clock.sleep(TICK / 2)
    desk.lost(JOB, outer.lease.token)
    await task
    desk.settle()


async def failed(client, solution):
    """What fails leaves nothing behind: neither a holder nor a call that is under way for ever."""
    desk = Desk(solution, watched=True)
    for _ in range(3):
        held = await desk.acquire(JOB, X)
        if held is not None:
            inner = await desk.must(JOB, X, OWN)
            await desk.release(inner)
            await desk.release(held)
        await clock.sleep(TTL + 2)
    held = await desk.must(JOB, Y, "Whatever the service had granted before was over.")
    await desk.release(held)
    desk.settle()


async def bad_request(client, solution):
    """The service can make nothing of the ttl: that passes like any exception, and leaves nothing behind."""
    desk = Desk(solution)
    for owner in (X, X, Y):
        desk.ttl = 0
        try:
            await desk.acquire(JOB, owner)
        except BadRequest:
            says("acquire() raises BadRequest")
        else:
            broke("exceptions pass", f"The service raised BadRequest for a ttl of 0, and acquire() of {owner} did not. It was not "
                  "refused: the caller must hear of it.")
    desk.ttl = TTL
    held = await desk.must(JOB, X, FREE)
    await desk.release(held)
    desk.settle()


async def slow_neighbour(client, solution):
    """A call about another name takes its time."""
    desk = Desk(solution)
    outer = await desk.must(JOB, X, FREE)
    task = spawn(take(desk, X, name=REPORT))
    await clock.sleep(TICK)
    inner = await desk.must(JOB, X, OWN)
    await desk.refused(JOB, Y)
    began = clock()
    third = await desk.must("invoice", X, FREE)
    if clock() > began + 4 * TICK:
        broke("names apart", f"acquire('invoice', …) took from {began:g} s to {clock():g} s, as long as a call about {REPORT}. "
              "Calls about one name don't wait for calls about another.")
    await desk.release(third)
    await desk.release(inner)
    await desk.release(outer)
    await task
    desk.settle()


async def given_up(desk, owner):
    try:
        held = await desk.acquire(JOB, owner)
    except Cancelled:
        return
    if held is not None:
        await desk.release(held)


async def cancelled(client, solution):
    """The task whose call is under way is cancelled. Others of the same owner wait for that call."""
    desk = Desk(solution)
    first = spawn(given_up(desk, X))
    others = [spawn(given_up(desk, X)), spawn(given_up(desk, X))]
    await clock.sleep(TICK / 2)
    says("the first task is cancelled")
    first.cancel()
    for task in [first, *others]:
        await task
    for lease in desk.leases.values():
        desk.look_for_leftovers(lease)
    desk.look_for_refusals()
    await clock.sleep(2 * TTL)
    held = await desk.must(JOB, X, "Whatever the service had granted before was over.")
    await desk.release(held)


async def waiters_cancelled(client, solution):
    """Of those who wait for a call some are cancelled. The call goes on, and so do the others."""
    desk = Desk(solution)
    for gone in ((0,), (1,), (0, 2)):
        asker = spawn(take_all_the_same(desk))
        waiters = [spawn(take_all_the_same(desk)) for _ in range(3)]
        await clock.sleep(TICK / 2)
        for n in gone:
            says("a task that waits for the call is cancelled")
            waiters[n].cancel()
        await clock.sleep(TICK / 4)
        late = spawn(take_all_the_same(desk))
        got = [await task for task in (asker, late, *(waiters[n] for n in range(3) if n not in gone))]
        for n in gone:
            await waiters[n]
        if desk.leases and "cancelled" in got:
            broke("waiters apart", "A task that waited for another's call was cancelled, and another task got Cancelled. Whose "
                  "task was not cancelled goes on.")
        if desk.leases and "nothing" in got and not desk.raised:
            broke("one owner", "Tasks of one owner waited for one call, which was granted. One of them was cancelled, and "
                  "another got None. Whose task was not cancelled gets a handle.")
        desk.look_for_refusals()
        await clock.sleep(2 * TTL)
    held = await desk.must(JOB, X, "Whatever the service had granted before was over.")
    await desk.release(held)


async def take_all_the_same(desk):
    try:
        held = await take(desk, X)
    except Cancelled:
        return "cancelled"
    return "nothing" if held is None else "held"
