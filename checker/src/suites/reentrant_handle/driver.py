"""The application around a learner's LockRegistry: owners that take a lock, take it again inside, and give it back.

The Desk stands between them. It knows from the calls that the service gets, and from what the application was given,
who holds what, and holds every answer of the registry against that.
"""

import _leasehold
from leasehold import Cancelled, Clock, LockService, TransportError, spawn

note = _leasehold.note
clock = Clock()
TICK = 1 / 64
TTL = 8.0
JOB = "job"
REPORT = "report"
X = "worker x"
Y = "worker y"


def broke(rule, message):
    note("broke", {"rule": rule, "message": message})


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
        finally:
            self.desk.hears(name, grant, asked)
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

    def live(self):
        return [held for held in self.held if held.state == "held"]


class Held:
    """One handle, as the application has it."""

    def __init__(self, desk, owner, raises, does):
        self.desk = desk
        self.owner = owner
        self.handle = None
        self.lease = None
        self.state = "asked for"
        self.told = 0
        self.raises = raises
        self.does = does

    def on_lost(self):
        says(f"on_lost() of a handle of {self.owner} is called")
        self.desk.told(self)
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
        self.asking = set()
        self.asked = 0
        self.waiting = {}
        self.losing = None
        self.watched = watched

    def live(self, name):
        return [held for held in self.all if held.state == "held" and held.lease.name == name]

    # What the registry does.

    def asks(self, name, ttl):
        self.asked += 1
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
        elif ttl != TTL:
            broke("right call", f"The service was asked for a ttl of {ttl!r}. acquire() had been given {TTL!r}.")
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
        lease.over = f"given back at {clock():g} s"

    def told(self, held):
        held.told += 1
        lease = held.lease
        if self.losing is not lease or held not in self.expected:
            why = {"released": "after its release", "lost": "a second time"}.get(held.state, "without a loss")
            broke("told once", f"At {clock():g} s on_lost of a handle of {held.owner} was called {why}. It is called exactly "
                  "once for each handle of the grant that was lost, and for no other.")
        if held.told > 1:
            broke("told once", f"At {clock():g} s on_lost of a handle of {held.owner} was called a second time.")
        if any(other.handle.is_held() for other in self.expected):
            broke("lost first", "Inside on_lost() a handle of the lost grant still said is_held(). All of them are lost "
                  "before the first one is told.")

    # What the application does.

    async def acquire(self, name, owner, raises=False, does=None, without=False):
        """A Held, or None. `without`: no on_lost is given."""
        held = Held(self, owner, raises, does)
        call = f"acquire({name!r}, owner={owner!r})"
        before = self.live(name)
        mine = bool(before) and before[0].owner == owner
        began, asked = clock(), self.asked
        says(f"{call} is called")
        self.waiting[name] = self.waiting.get(name, 0) + 1
        try:
            try:
                if without:
                    handle = await self.registry.acquire(name, TTL, equal(owner))
                else:
                    handle = await self.registry.acquire(name, TTL, equal(owner), held.on_lost)
            except TransportError:
                says(f"{call} raises TransportError")
                if before:
                    broke("asks nobody", f"{call} raised TransportError, although {before[0].owner} held {name} in this "
                          "process: the service need not be asked.")
                return None
        finally:
            self.waiting[name] -= 1
            if not self.waiting[name]:
                del self.waiting[name]
        if before and (clock() != began or (mine and self.asked != asked)):
            broke("at once", f"{call} took from {began:g} s to {clock():g} s, although {before[0].owner} held {name} in this "
                  "process. What is held here is settled at once.")
        if handle is None:
            says(f"{call} gives None")
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
        lease.held.append(held)
        self.all.append(held)
        self.look()

    async def release(self, held, owner=None):
        owner = held.owner if owner is None else owner
        lease = held.lease
        says(f"release({owner!r}) of a handle with token {lease.token} is called")
        was = held.state
        if owner != held.owner:
            return await self.release_by_another(held, owner)
        if was == "held":
            held.state = "released"
        lease.releases += 1
        over = lease.over
        try:
            await held.handle.release(equal(owner))
        except TransportError:
            says("release() raises TransportError")
        finally:
            lease.releases -= 1
        if was != "held" and over is None and lease.over is not None and lease.over.startswith("given"):
            broke("last release", "release() of a handle that was not held any more freed the lock.")
        if not lease.live() and not lease.releases and lease.over is None:
            broke("last release", f"At {clock():g} s all handles of the grant with token {lease.token} were released, and the "
                  "service had not been told. The last release frees the lock.")
        self.look()

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
        self.expected = lease.live() if first else []
        self.losing = lease
        for held in self.expected:
            held.state = "lost"
        if first:
            lease.over = f"lost at {clock():g} s"
        try:
            self.registry.lost(name, token)
        except RuntimeError:
            if not any(held.raises for held in self.expected):
                raise
        missed = [held for held in self.expected if not held.told and held.tells]
        self.losing = None
        if missed:
            broke("told once", f"After lost({name!r}, {token}) on_lost of {len(missed)} of {len(self.expected)} handles had "
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
            if bool(held.handle.is_held()) != (held.state == "held"):
                self.wrong(held)

    def wrong(self, held):
        now = f"At {clock():g} s a handle of {held.owner} with token {held.lease.token}"
        if held.state == "held":
            broke("held is held", f"{now} said that it is not held. It was neither released nor lost: one release is one "
                  "handle's.")
        else:
            broke("over is over", f"{now} said is_held(), although it had been {held.state}. That is for good.")

    def settle(self):
        """At the end of a story: whatever the service granted was given to somebody."""
        for lease in self.leases.values():
            if not lease.held and lease.over is None:
                broke("grant is kept", f"The service had granted {lease.name} with token {lease.token}, and no acquire() "
                      "returned a handle of it.")
        self.look()
