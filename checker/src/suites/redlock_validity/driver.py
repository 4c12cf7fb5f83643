"""The application around a learner's Redlock: takes locks, works while they are valid, gives them back.

What it asks of the learner's code is held against what this process can know: which nodes were asked when, and what they
answered. What the nodes truly keep is looked at by properties.
"""

import _leasehold
from _leasehold_driver import awaited, broke
from leasehold import Clock, TransportError, spawn
from leasehold import Node as PlainNode

note = _leasehold.note
TTL = 10.0
DRIFT = 0.02
TICK = 1 / 64
# Sums of floats may differ by so much.
HAIR = 1e-6
# And whoever takes a few milliseconds more off than the drift is on the safe side.
CAUTION = 0.005


class Ask:
    """One request for a name at one node."""

    __slots__ = ("node", "token", "sent", "answer", "released")

    def __init__(self, node, token, sent):
        self.node = node
        self.token = token
        self.sent = sent
        # "open", then "granted", "refused" or "silent".
        self.answer = "open"
        # When its release was called, and what had been answered by then.
        self.released = None


class Attempt:
    """One acquire(), from its call on."""

    __slots__ = ("name", "ttl", "drift", "began", "number", "asks", "until")

    def __init__(self, name, ttl, drift, began, number):
        self.name = name
        self.ttl = ttl
        self.drift = drift
        self.began = began
        self.number = number
        self.asks = []

    def usable(self, sent):
        """Until when a node that was asked then is sure to keep its token, as far as the clocks allow to know."""
        return sent + self.ttl - self.drift


class Node(PlainNode):
    """A node as the learner's code gets it."""

    __slots__ = ("label", "application")

    def __init__(self, label, application):
        PlainNode.__init__(self, label)
        self.label = label
        self.application = application

    async def acquire(self, name, ownership_token, ttl):
        ask = self.application.asks(self.label, name, ownership_token, ttl)
        try:
            granted = await PlainNode.acquire(self, name, ownership_token, ttl)
        except TransportError:
            ask.answer = "silent"
            raise
        ask.answer = "granted" if granted else "refused"
        return granted

    async def release(self, name, ownership_token):
        self.application.gives_back(self.label, name, ownership_token)
        return await PlainNode.release(self, name, ownership_token)


class Application:
    def __init__(self, solution, nodes, backwards=False, drift_factor=DRIFT):
        self.clock = Clock()
        self.drift_factor = drift_factor
        self.nodes = nodes
        self.quorum = nodes // 2 + 1
        # Attempts that are under way, by name; and all that ended in a lease, with it.
        self.under_way = {}
        self.leases = []
        self.attempts = []
        self.current = {}
        # What was released before it was asked for.
        self.too_early = set()
        labels = [f"node-{number}" for number in range(1, nodes + 1)]
        handles = [Node(label, self) for label in (reversed(labels) if backwards else labels)]
        self.redlock = solution["Redlock"](handles, self.clock, drift_factor)

    # --- what the learner's code asks of the nodes

    def asks(self, label, name, token, ttl):
        attempt = self.under_way.get(name) if isinstance(name, str) else None
        if attempt is None:
            broke("right request", f"{label}.acquire({name!r}, …) was called while no acquire({name!r}, …) was under way. "
                  "The nodes are asked by acquire() before it returns, and not by anything else.")
        if not isinstance(token, str) or not token:
            broke("right request", f"{label}.acquire() was called with the ownership token {token!r}. It must be a text "
                  "that is not empty.")
        if ttl != attempt.ttl:
            broke("right request", f"{label}.acquire() was called with the ttl {ttl!r}. Each node is asked for the whole "
                  f"ttl of acquire(), {attempt.ttl!r}: what is lost on the way is taken off the usable time.")
        for ask in attempt.asks:
            if ask.node == label:
                broke("one request each", f"{label} was asked a second time within one acquire(), which is one try: ask each "
                      "node once. (After a TransportError nobody knows whether the first request was done. If it was, "
                      "the node refuses you because of your own token.)")
        ask = Ask(label, token, self.clock())
        attempt.asks.append(ask)
        note("asks", {"token": token, "attempt": attempt.number})
        return ask

    def gives_back(self, label, name, token):
        asks = [ask for attempt in self.attempts if attempt.name == name for ask in attempt.asks]
        known = [ask for ask in asks if (ask.node, ask.token) == (label, token)]
        for ask in known:
            if ask.released is None:
                ask.released = (self.clock(), ask.answer)
        if not known:
            self.too_early.add((label, name, token))

    # --- what the application does

    async def acquire(self, name, ttl=TTL):
        """The lease, or None; with its answer held against what the nodes answered."""
        attempt = Attempt(name, ttl, self.drift_factor * ttl, self.clock(), len(self.attempts))
        self.attempts.append(attempt)
        self.under_way[name] = attempt
        note("says", f"acquire({name!r}, {ttl:g}) is called")
        note("calls", "acquire")
        try:
            lease = await awaited(self.redlock.acquire(name, ttl), "acquire()")
        except TransportError:
            broke("silence is no error", "acquire() raised TransportError. A node that does not answer is one that has "
                  "perhaps granted and can't be counted: go on with the others.")
        note("returned", None)
        del self.under_way[name]
        if lease is None:
            note("says", f"acquire({name!r}) gives None")
            self.look_at_refusal(attempt)
            return None
        until = self.look_at_lease(attempt, lease)
        note("says", f"acquire({name!r}) gives a lease, valid until {until:.3f} s")
        note("believes", {"name": name, "token": None, "holds": True})
        note("holds", {"name": name, "until": until, "nodes": self.nodes})
        attempt.until = until
        self.leases.append((lease, attempt))
        self.current[name] = lease
        return lease

    async def release(self, lease):
        attempt = [a for held, a in self.leases if held is lease][-1]
        if self.current.get(attempt.name) is lease:
            del self.current[attempt.name]
            note("believes", {"name": attempt.name, "token": None, "holds": False})
            note("lets go", attempt.name)
        note("says", f"release() is called with a lease on {attempt.name}")
        note("calls", "release")
        try:
            await awaited(self.redlock.release(lease), "release()")
        except TransportError:
            broke("silence is no error", "release() raised TransportError. A node that does not answer is no reason to "
                  "stop: go on with the others. What stays there ends by itself.")
        note("returned", None)
        if self.clock() < attempt.until:
            self.look_at_leftovers(attempt, "release() returned")

    # --- what must be true of it

    def look_at_leftovers(self, attempt, when):
        left = [ask for ask in attempt.asks if ask.released is None and ask.answer != "refused"]
        if left:
            ask = left[0]
            if (ask.node, attempt.name, ask.token) in self.too_early:
                broke("release all nodes", f"{ask.node} was asked to release an ownership token before it was asked to "
                      "keep it. Requests are sent where code awaits: wait for the answers, then count them.")
            what = "had granted" if ask.answer == "granted" else "had not answered and may have granted all the same"
            broke("release all nodes", f"At {self.clock():.3f} s {when}, and {ask.node}, which {what}, had not been asked "
                  "to release the ownership token that it was asked to keep. Release all nodes, those that did not "
                  "answer too: what stays there is in everybody's way until it ends by itself.")

    def look_at_refusal(self, attempt):
        now = self.clock()
        self.look_at_leftovers(attempt, "acquire() returned None")
        granted = [ask for ask in attempt.asks if ask.answer == "granted" and ask.released[1] == "granted"]
        early = [ask for ask in attempt.asks if ask.released is not None and ask.released[1] == "open"]
        unasked = self.nodes - len(attempt.asks)
        decided = min([ask.released[0] for ask in granted + early] + [now])
        if decided >= attempt.usable(attempt.began) - CAUTION:
            return
        left = attempt.usable(attempt.began) - decided
        time = f"at {decided:.3f} s, when {left:.3f} s of usable time were left"
        if len(granted) >= self.quorum:
            broke("a majority is enough", f"acquire() gave up {time}, although {len(granted)} of {self.nodes} nodes had "
                  "granted. A majority is enough, whatever the others say.")
        if len(granted) + len(early) + unasked >= self.quorum:
            some = f"{len(early)} had not answered yet" if early else f"{unasked} had not been asked"
            broke("ask them all", f"acquire() gave up {time}, with {len(granted)} of {self.nodes} nodes granted and "
                  f"{self.quorum} needed, while {some}. Ask every node, one after the other or all at once, and wait for "
                  "each answer or TransportError, as long as a majority is still possible.")

    def look_at_lease(self, attempt, lease):
        """Until when it may be used."""
        now = self.clock()
        until = self.end_of(lease)
        if any(lease is held for held, _ in self.leases):
            broke("lease", "acquire() gave the very object that an earlier acquire() gave. Each lease is one of its own: "
                  "whoever holds the old one must not get the new one's token.")
        held = [ask for ask in attempt.asks if ask.answer == "granted" and ask.released is None]
        if len(held) < self.quorum:
            counts = ", ".join(f"{ask.node}: {ask.answer}" for ask in attempt.asks)
            broke("majority", f"At {now:.3f} s acquire() gave a lease, although {len(held)} of {self.nodes} nodes had "
                  f"granted in this attempt and {self.quorum} are needed ({counts or 'none was asked'}). Only a node that "
                  "has answered True counts, and more than half of all nodes must.")
        sent = sorted((ask.sent for ask in held), reverse=True)[self.quorum - 1]
        latest = attempt.usable(sent)
        if until > latest + HAIR:
            broke("lower bound", f"acquire() gave a lease that says it is valid until {until:.3f} s. The nodes that "
                  f"granted were asked from {sent:.3f} s on, so a majority of {self.quorum} is sure to keep it only until "
                  f"{latest:.3f} s: that moment + ttl - drift. Read the clock before the first request, and take the drift "
                  "off.")
        if until <= now:
            broke("void", f"At {now:.3f} s acquire() gave a lease that was valid until {until:.3f} s. When no usable time "
                  "is left, the grant is void: release all nodes and give None.")
        least = attempt.usable(attempt.began)
        if until < least - CAUTION:
            broke("usable time", f"acquire() gave a lease that is valid until {until:.3f} s only. It was called at "
                  f"{attempt.began:.3f} s, so that it may be used until {least:.3f} s at least: ttl - drift later.")
        return until

    def end_of(self, lease):
        until = getattr(lease, "valid_until", None)
        try:
            # A text can be made a number too, and is none.
            end = float("nan" if isinstance(until, (str, bool)) else until)
        except (TypeError, ValueError):
            end = float("nan")
        if end != end:
            broke("lease", f"acquire() gave a {type(lease).__name__} whose valid_until is {until!r}. It gives None or a lease with "
                  "valid_until, a number of seconds on this process's monotonic clock.")
        return end

    async def hold(self, name, seconds, ttl=TTL):
        """Takes the lock, works for so long, gives it back; whether it had it."""
        lease = await self.acquire(name, ttl)
        if lease is None:
            return False
        await self.clock.sleep(seconds)
        await self.release(lease)
        return True

    async def until_the_end(self, lease):
        """Works for as long as the lease allows, and a moment longer."""
        await self.clock.sleep(max(self.end_of(lease) - self.clock(), 0) + 1)


async def rest():
    """Lets tasks that were spawned come to their end."""
    await Clock().sleep(1)


# --- what the search goes through -------------------------------------------------------------------------------


async def one(client, solution):
    """One client takes the lock and gives it back."""
    application = Application(solution, 3)
    await application.hold("job", 4)
    await rest()


async def duel(client, solution):
    """A and B want the lock at the same moment. B, when it fails, tries again when A's lease is about over, and then lets
    its own run out."""
    application = Application(solution, 3)
    if client == 0:
        await application.hold("job", 4)
        return await rest()
    await application.clock.sleep(TICK)
    if await application.acquire("job") is None:
        await application.clock.sleep(9.75)
        await application.acquire("job")
    await rest()


# --- the named tests --------------------------------------------------------------------------------------------


async def alone(solution, nodes):
    """One client takes the lock again and again; the last time it lets it run out."""
    application = Application(solution, nodes)
    await application.hold("job", 1)
    await application.hold("job", 0, ttl=2.5)
    lease = await application.acquire("job")
    if lease is not None:
        await application.until_the_end(lease)
        await application.release(lease)
    await rest()


async def alone_1(client, solution):
    await alone(solution, 1)


async def alone_3(client, solution):
    await alone(solution, 3)


async def alone_4(client, solution):
    await alone(solution, 4)


async def alone_5(client, solution):
    await alone(solution, 5)


async def split(client, solution):
    """A and B ask four nodes from both ends at the same moment, so that each may get two."""
    application = Application(solution, 4, backwards=client == 1)
    if not await application.hold("job", 3):
        await application.clock.sleep(4 + client)
        await application.hold("job", 1)
    await rest()


async def short(client, solution):
    """Leases that are over before the answers are there, or nearly, or just at that instant."""
    # With half a ttl of drift the end comes out exactly, in floats too.
    application = Application(solution, 3, drift_factor=0.5)
    for ticks in range(1, 10):
        await application.hold("job", 0, ttl=2 * ticks * TICK)
        await application.clock.sleep(1)
    await rest()


async def tries(client, solution):
    """One client tries until it has the lock, with the remains of earlier attempts in its way."""
    application = Application(solution, 3)
    for pause in (0.25, 0.25, 11, 11):
        if await application.hold("job", 1):
            break
        await application.clock.sleep(pause)
    await rest()


async def old(client, solution):
    """A lease runs out, the same client takes the lock again, and only then releases the old lease."""
    application = Application(solution, 3)
    first = await application.acquire("job")
    if first is None:
        return
    await application.until_the_end(first)
    second = await application.acquire("job")
    if second is not None:
        await application.release(first)
        await application.clock.sleep(3)
        await application.release(second)
    await application.release(first)
    await rest()


async def two_names(client, solution):
    """Two tasks of one process take a lock each, at once, from one Redlock."""
    application = Application(solution, 3)
    report = spawn(application.hold("report", 4))
    await application.hold("job", 2)
    await report
    await rest()


async def same_moment(client, solution):
    """Clients take a lock each, all at the same moment."""
    application = Application(solution, 3)
    name = ("job", "report", "invoice")[client]
    await application.hold(name, 1)
    await application.hold(name, 1)
    await rest()


async def restarted(client, solution):
    """A holds the lock, B asks for it, and just then a node loses everything."""
    application = Application(solution, 3)
    if client == 1:
        await application.clock.sleep(2)
        await application.hold("job", 1)
        await application.clock.sleep(4)
        await application.hold("job", 1)
    else:
        await application.hold("job", 4)
    await rest()
