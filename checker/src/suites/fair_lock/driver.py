"""The application around a learner's FairLock: owners that take their turn, work, and give it back."""

import _leasehold
from _leasehold_driver import awaited, broke, shown
from leasehold import Cache, Clock, TransportError, spawn

note = _leasehold.note
clock = Clock()
TICK = 1 / 64
TURN = 8.0
NAME = "job"
LONG = 90.0


async def until(seconds):
    await clock.sleep(max(seconds - clock(), 0))


class Owner:
    """One FairLock, and what its owner may believe."""

    def __init__(self, solution, name=NAME, turn_s=TURN):
        self.lock = solution["FairLock"](Cache(), clock, name, turn_s)
        self.not_held = solution["NotHeld"]
        self.name = name
        self.ticket = None
        self.until = 0.0
        # How many acquires of this turn have no release yet.
        self.depth = 0

    def believes(self, holds):
        note("believes", {"name": self.name, "token": self.ticket, "holds": holds})

    def runs(self):
        return self.depth > 0 and clock() < self.until

    async def call(self, name, coroutine):
        try:
            return await awaited(coroutine, f"{name}()")
        except TransportError:
            broke("lost answers", f"At {clock():g} s {name}() let a TransportError pass. A lost answer is for the lock to "
                  "deal with: the caller could not tell whether it has a ticket.")

    async def take(self, wait_s):
        """Whether the lock is held now."""
        inside = self.runs()
        if self.depth and not inside:
            self.forget()
        note("says", f"calls acquire({wait_s:g}){', inside' if inside else ''}")
        note("reenters" if inside else "asks", round(wait_s * 1_000_000))
        turn = await self.call("acquire", self.lock.acquire(wait_s))
        if turn is not None and not (hasattr(turn, "ticket") and hasattr(turn, "until")):
            broke("turns", f"acquire({wait_s:g}) gave {shown(turn)}. It gives a Turn, which has ticket and until, or None.")
        now = clock()
        if inside and (turn is None or turn.ticket != self.ticket):
            if now < self.until:
                got = "None" if turn is None else f"a turn with ticket {shown(turn.ticket)}"
                broke("re-entry", f"At {now:g} s the holder called acquire() again, within its turn, which runs until "
                      f"{self.until:g} s with ticket {self.ticket}, and got {got}. The holder is in already: it needs no "
                      "ticket, and gets the turn that it has.")
            # It ran out while the call went on: then this is an acquire like any other.
            self.forget()
            inside = False
        note("reentered", None)
        if turn is None:
            note("says", "acquire() gives None")
            note("refused", None)
            return False
        ticket, end = turn.ticket, turn.until
        if type(ticket) is not int:
            broke("tickets", f"acquire() gave a turn with the ticket {shown(ticket)}. Tickets are ints.")
        if type(end) not in (int, float):
            broke("until", f"acquire() gave a turn until {shown(end)}. That is a number of seconds on the clock.")
        note("says", f"acquire() gives ticket {ticket}, until {end:g} s")
        if not inside:
            if ticket == self.ticket and now >= self.until:
                broke("over", f"At {now:g} s acquire() gave the turn with ticket {ticket} again, which ran until {self.until:g} "
                      "s. At its very end a turn is over: then this is an acquire like any other, with a new ticket.")
            note("granted", {"ticket": ticket, "until_us": round(end * 1_000_000)})
            self.ticket, self.until, self.depth = ticket, end, 1
            self.believes(True)
            return True
        if abs(end - self.until) > 1e-6:
            broke("re-entry", f"At {now:g} s the holder called acquire() again and was told that its turn runs until {end:g} "
                  f"s; the first time it was {self.until:g} s. It is the same turn, for all: its end stays.")
        if now >= self.until:
            broke("over", f"At {now:g} s acquire() gave the turn that ran only until {self.until:g} s. A turn that is "
                  "over on the clock is never given, not to its holder either: look after the last answer.")
        self.depth += 1
        return True

    def forget(self):
        self.depth = 0
        self.believes(False)

    async def give(self):
        """Whether the turn was this owner's until now."""
        if self.depth == 0:
            await self.give_nothing()
            return False
        last = self.depth == 1
        self.depth -= 1
        note("says", f"calls release(){'' if last else ', inside'}")
        note("frees", last)
        if last:
            self.believes(False)
        try:
            await self.call("release", self.lock.release())
        except self.not_held:
            note("says", "release() raises NotHeld")
            note("not_held", None)
            return False
        note("freed", None)
        return True

    async def give_nothing(self):
        note("says", "calls release() and holds nothing")
        try:
            await self.call("release", self.lock.release())
        except self.not_held:
            note("says", "release() raises NotHeld")
            return
        broke("non-holders", f"At {clock():g} s release() was called by an owner that does not hold the lock, and raised "
              "nothing. It must raise NotHeld and change nothing.")

    async def turn(self, work_s, wait_s=LONG):
        """Waits for a turn, works, gives it back."""
        if await self.take(wait_s):
            await clock.sleep(work_s)
            await self.give()


async def rest():
    """Lets tasks that were spawned come to their end."""
    await clock.sleep(0.25)


# --- what the search goes through -------------------------------------------------------------------------------


async def three(client, solution):
    """A works, and goes in a second time; B and C come meanwhile. One that was restarted lines up again."""
    await clock.sleep((0, 0.5, 1.0)[client])
    owner = Owner(solution)
    if not await owner.take(LONG):
        return
    # B and C work long enough for an answer to A to be given up meanwhile.
    await clock.sleep((0.5, 1.75, 1.75)[client])
    if client == 0:
        await owner.take(LONG)
        await owner.give()
        await clock.sleep(0.5)
    await owner.give()


# --- the named tests --------------------------------------------------------------------------------------------


async def alone(client, solution):
    """One owner takes a free lock, over and over, with and without waiting."""
    owner = Owner(solution)
    for wait_s in (0, 5, 0, 0):
        await owner.turn(0.5, wait_s)
        await clock.sleep(0.5)
    other = Owner(solution)
    await other.turn(0.5, 0)
    await owner.turn(0.5, 0)
    await rest()


async def short_turns(client, solution):
    """Turns of 2.5 s."""
    owner = Owner(solution, turn_s=2.5)
    await until(0.5 * client)
    if await owner.take(LONG):
        if client == 1:
            await clock.sleep(1.0)
            await owner.give()
    await rest()


async def five(client, solution):
    """Five come one after the other, in no order of names."""
    await until((0, 1.0, 2.0, 0.5, 1.5)[client])
    owner = Owner(solution)
    await owner.turn(3.0 if client == 0 else 1.0)
    # A second round, the other way round, on the record that there is.
    await until(20 + (2.0, 1.5, 1.0, 0.5, 0)[client])
    await owner.turn(3.0 if client == 4 else 1.0)
    await rest()


async def first(client, solution):
    """A and B want a lock that nobody has used, at about the same time; over and over, a lock for each delay."""
    for late in range(0, 12):
        await until(8 * late)
        if client == 0:
            note("another lock", None)
        owner = Owner(solution, f"page {late}")
        # Not right after the clock began: how long a turn lasts must not be counted from 0.
        await until(8 * late + 4 + (late // 2 * TICK if client == late % 2 else 0))
        await owner.turn(0.5, 5)
    await rest()


async def later(client, solution):
    """B and C, and A with its release, want to change the record at about the same time, over and over."""
    owner = Owner(solution)
    for late in range(0, 15):
        start = 8 * late
        await until(start + (0, 1, 1 + late // 5 * TICK)[client])
        if client > 0:
            await owner.turn(0.5)
        elif await owner.take(LONG):
            await until(start + 1 + late % 5 * TICK)
            await owner.give()
    await rest()


async def behind(client, solution):
    """A holds the lock, B comes, and C well after B. When A gives back, either may be the next to look, over and over."""
    owner = Owner(solution)
    for late in range(0, 10):
        start = 12 * late
        await until(start + (0, 0.5, 2.0)[client])
        if client > 0:
            await owner.turn(0.5)
        elif await owner.take(LONG):
            await until(start + 3 + late * 2 * TICK)
            await owner.give()
    await rest()


async def crowd(client, solution):
    """Six come at one instant."""
    await Owner(solution).turn(0.5)
    await rest()


async def dead_holder(client, solution):
    """A takes the lock and never gives it back. B and C wait; D comes when A's turn has long been over."""
    await until((0, 0.5, 1.0, 1.5)[client])
    if clock() > 1.75:
        return
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await clock.sleep(0.5)
        await until(40)
    elif client == 1:
        await owner.turn(1.0)
    elif client == 2:
        await owner.turn(1.0)
        await until(16)
        # And another that never comes back.
        await owner.take(LONG)
        await clock.sleep(0.25)
    else:
        await until(30)
        await owner.turn(1.0)
    await rest()


async def dead_waiter(client, solution):
    """A works; B waits, and dies of a cue; C and D wait behind B."""
    if client == 1 and clock() > 1:
        return
    await until((0, 0.5, 1.0, 1.5)[client])
    await Owner(solution).turn(3.0 if client == 0 else 1.0)
    await rest()


async def newcomers(client, solution):
    """A never gives the lock back. B waits, and behind it others come, one after the other."""
    await until((0, 0.5, 3.0, 5.0, 7.0, 7.75)[client])
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await until(40)
    else:
        await owner.turn(0.5)
    await rest()


async def long_line(client, solution):
    """A, B and C work nearly a whole turn each; D waits longer than a turn lasts, and E and F come late."""
    await until((0, 0.5, 1.0, 1.5, 10.0, 17.0)[client])
    await Owner(solution).turn((7.0, 7.0, 7.0, 1.0, 1.0, 1.0)[client])
    await rest()


async def slow(client, solution):
    """A works for 10 s, longer than its turn; B has the lock from 8 s to 12 s, C and D wait."""
    await until((0, 0.5, 1.0, 1.5)[client])
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await until(10)
        await owner.give()
        await owner.turn(0.5)
    else:
        await owner.turn((0, 4.0, 1.0, 1.0)[client])
    await rest()


async def slow_inside(client, solution):
    """The same, and A had gone in twice; when it gives back, it is C's turn already."""
    await until((0, 0.5, 1.0, 1.5)[client])
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await owner.take(0)
        await until(11)
        await owner.give()
        await until(12)
        await owner.give()
        await owner.turn(0.5)
    else:
        await owner.turn((0, 2.0, 3.0, 1.0)[client])
    await rest()


async def nobody_took_over(client, solution):
    """A works longer than its turn, and nobody waits. Then it gives back; B comes later."""
    owner = Owner(solution)
    if client == 0:
        await owner.turn(10.0)
        await until(14)
        await owner.turn(1.0)
        await owner.give_nothing()
    else:
        await until(12)
        await owner.turn(4.0)
        await until(17)
        await owner.turn(1.0)
    await rest()


async def inside(client, solution):
    """A goes in three times; B waits from 0.5 s on."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await clock.sleep(1.0)
        await owner.take(0)
        await clock.sleep(0.5)
        await owner.take(LONG)
        for _ in range(3):
            await clock.sleep(1.0)
            await owner.give()
        await owner.give_nothing()
        await owner.turn(0.5)
    else:
        await until(0.5)
        await owner.turn(1.0)
    await rest()


async def inside_to_the_end(client, solution):
    """A goes in again shortly before the end of its turn, and never gives back; B waits."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await until(5.0)
        await owner.take(LONG)
        await until(7.5)
        await owner.take(LONG)
        await until(20)
    else:
        await until(0.5)
        await owner.turn(1.0)
    await rest()


async def again_after_the_end(client, solution):
    """A's turn runs out inside two acquires. It asks anew, gives back what it got, and then what it had."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await owner.take(LONG)
        await until(9.0)
        await owner.take(LONG)
        await clock.sleep(1.0)
        await owner.give()
        await owner.give_nothing()
        await owner.give_nothing()
    else:
        await until(9.5)
        await owner.turn(1.0)
    await rest()


async def again_after_a_takeover(client, solution):
    """The same, and B has taken over meanwhile."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await owner.take(LONG)
        await until(9.0)
        await owner.take(LONG)
        await clock.sleep(1.0)
        await owner.give()
        await owner.give_nothing()
        await owner.give_nothing()
    else:
        await until(0.5)
        await owner.turn(3.0)
        await owner.turn(1.0)
    await rest()


async def to_the_end(client, solution):
    """A gives back at the very end of its turn, while B takes over."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await until(owner.until - 2 * TICK)
        await owner.give()
    else:
        await until(0.5 * client)
        await owner.turn(2.0)
    await rest()


async def impatient(client, solution):
    """A works for 7 s. B tries without waiting and with 2 s; C waits for as long as it takes. Later B waits too."""
    owner = Owner(solution)
    if client == 0:
        await owner.turn(7.0)
    elif client == 1:
        await until(0.5)
        await owner.turn(1.0, 0)
        await until(1.0)
        await owner.turn(1.0, 2)
        await until(4.0)
        await owner.turn(1.0)
        await until(45)
        await owner.turn(1.0)
    else:
        await until(3.5)
        await owner.turn(1.0)
    await rest()


async def gives_up_at_its_turn(client, solution):
    """B's patience ends just when A gives back. It comes again at once; C waits."""
    owner = Owner(solution)
    if client == 0:
        await owner.turn(2.5)
    elif client == 1:
        await until(0.5)
        await owner.turn(0.5, 2.0 + 6 * TICK)
        await owner.turn(0.5)
        await owner.turn(0.5)
    else:
        await until(1.0)
        await owner.turn(1.0)
    await rest()


async def strangers(client, solution):
    """B, who holds nothing, gives back, before there is a record and while A holds the lock and C waits."""
    owner = Owner(solution)
    if client == 1:
        await owner.give_nothing()
        await until(2.0)
        await owner.give_nothing()
        await until(3.0)
        await owner.turn(0.5)
        await owner.give_nothing()
    else:
        await until((0.5, 0, 1.0)[client])
        await owner.turn((5.0, 0, 1.0)[client])
        await owner.give_nothing()
    await rest()


async def names(client, solution):
    """Two locks have nothing to do with each other, also for one owner of both."""
    if client == 1:
        await until(1.0)
    red, blue = Owner(solution, "red"), Owner(solution, "blue")
    mine, other = (red, blue) if client == 0 else (blue, red)
    if not await mine.take(0):
        broke("names", f"At {clock():g} s acquire(0) of the lock {mine.name} gave None, though only the lock {other.name} "
              "was held. Locks with other names have nothing to do with each other.")
    await until(3.0)
    if await other.take(0):
        broke("names", f"At {clock():g} s acquire(0) of the lock {other.name} gave a turn, though its holder's turn ran on.")
    await mine.give()
    await rest()


async def both(client, solution):
    """Two owners in one process."""
    one, two = Owner(solution), Owner(solution)
    if not await one.take(0):
        broke("owners", "acquire(0) of a free lock gave None.")
    if await two.take(0):
        broke("owners", f"At {clock():g} s one FairLock had its turn, and another one of the same process was let in. Each "
              "object is an owner of its own, wherever it lives.")
    await two.give_nothing()
    waiting = spawn(two.take(LONG))
    await clock.sleep(2.0)
    if waiting.done():
        broke("owners", f"At {clock():g} s one FairLock had its turn, and the acquire() of another one of the same process "
              "had ended. Each object is an owner of its own, wherever it lives.")
    if not await one.give():
        broke("owners", f"At {clock():g} s release() raised NotHeld, though the turn ran until {one.until:g} s: what another "
              "owner of the same process does is none of its business.")
    # The ticket of the first attempt may have to be passed over.
    await clock.sleep(TURN + 2.5)
    if not waiting.done():
        broke("owners", f"At {clock():g} s the second owner still waited, more than a turn after the first had given back.")
    await two.give()
    await rest()


async def hours(client, solution):
    """The lock is used now and then, with longer and longer quiet times."""
    owner = Owner(solution)
    for start in (0, 20, 60, 200, 1000, 5000, 20_000, 90_000):
        await until(start + 0.5 * client)
        await owner.turn(3.0)
    await rest()


async def dead_and_quiet(client, solution):
    """A takes the lock and never gives it back. For a day nobody comes; then B does."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await until(80_000)
    else:
        await until(70_000)
        await owner.turn(3.0)
    await rest()


async def crossing(client, solution):
    """B comes late in A's turn, again and again, after quiet times of several lengths."""
    owner = Owner(solution)
    start = 0
    for quiet in (8, 10, 13, 16, 20, 24, 30, 40, 60, 80):
        await until(start + (0 if client == 0 else 5.5))
        await owner.turn(6.0 if client == 0 else 2.0)
        start += 10 + quiet
    await rest()


async def waits(client, solution):
    """A works a whole turn, B waits."""
    await until(0.5 * client)
    await Owner(solution).turn(7.0)
    await rest()


async def two(client, solution):
    """A takes a free lock, B comes soon after."""
    await until(0.5 * client)
    await Owner(solution).turn(1.0)
    if client == 0:
        await until(20)
        await Owner(solution).turn(1.0)
    await rest()


async def after_a_pause(client, solution):
    """A takes the free lock, however long its process is paused on the way. B comes just when it is through."""
    owner = Owner(solution)
    if client == 0:
        if await owner.take(LONG):
            await clock.sleep(6.0)
            await owner.give()
    else:
        await until((7.5, 8.0, 16.0, 24.0)[client - 1])
        await owner.turn(1.0)
    await rest()


async def just_at_its_end(client, solution):
    """A asks again at the very instant at which its turn is over: inside two acquires, then inside one. B comes late."""
    owner = Owner(solution)
    if client == 0:
        await owner.take(LONG)
        await owner.take(LONG)
        for _ in range(2):
            await until(owner.until)
            if await owner.take(LONG):
                await clock.sleep(1.0)
        await owner.give()
        await owner.give_nothing()
    else:
        await until(20.0)
        await owner.turn(1.0)
    await rest()
