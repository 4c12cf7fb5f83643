"""The application around a learner's QueueLock: opens a session, keeps it alive, stands in line, works, gives way."""

import _leasehold
from _leasehold_driver import awaited, broke, shown
from leasehold import Clock, Coordinator, SessionLost, Signal, TransportError, spawn

note = _leasehold.note
TTL = 10.0
# How often the application keeps its session alive.
BEAT = 3.5
TICK = 1 / 64
# When everything must be tidy: after calls under way, and after some that had to be made again.
A_WHILE = 4.5
NAME = "job"
# A session that outlives a long partition.
LONG_TTL = 60.0


class Application:
    """One session, and the QueueLock that lives on it."""

    def __init__(self, solution, clock, name):
        self.solution = solution
        self.clock = clock
        self.name = name
        self.held = False
        self.service = Coordinator()
        self.over = Signal()
        self.done = Signal()

    async def begin(self, beats=True, ttl=TTL):
        while True:
            try:
                self.session = await self.service.open(ttl)
                break
            except TransportError:
                pass
        note("session", self.session.id)
        self.lock = self.solution["QueueLock"](Coordinator(), self.clock, self.session, self.name)
        if beats:
            spawn(self.keep_alive())

    async def keep_alive(self):
        while not await self.done.wait(BEAT):
            try:
                alive = await self.service.keep_alive(self.session)
            except TransportError:
                continue
            if not alive:
                self.over.set()
                return

    async def acquire(self, wait_s):
        """Whether the lock was got."""
        text = f"acquire({wait_s:g})"
        note("says", f"calls {text}")
        note("waits", wait_s)
        try:
            number = await awaited(self.lock.acquire(wait_s), "acquire()")
        except SessionLost:
            note("says", f"{text} raises SessionLost")
            note("session_lost", None)
            return False
        except TransportError:
            broke("budget", f"{text} raised TransportError. One lost message is no reason to end: try again while there "
                  "is budget, and return None when it is used up.")
        except Exception as error:
            if type(error).__name__ == "SessionLost":
                broke("SessionLost", f"{text} raised a SessionLost that is not leasehold's. Callers catch that one: from "
                      "leasehold import SessionLost.")
            raise
        if number is None:
            note("says", f"{text} returns None: not in time")
            note("gave_up", None)
            return False
        if isinstance(number, bool) or not isinstance(number, int):
            broke("fencing token", f"{text} returned {shown(number)}. With the lock it returns the number of its place, an "
                  "int: the fencing token. Without, None.")
        note("acquired", number)
        self.held = True
        note("believes", {"name": self.name, "token": number, "holds": True})
        return True

    async def work(self, seconds):
        await self.over.wait(seconds)

    async def release(self):
        note("says", "calls release()")
        note("releases", None)
        try:
            await awaited(self.lock.release(), "release()")
        except (TransportError, SessionLost) as error:
            broke("release", f"release() raised {type(error).__name__}. It tries again while no answer comes, and has "
                  "nothing to do when the session is over.")
        note("says", "release() returns")
        if self.held:
            note("released", None)
        self.held = False
        note("believes", {"name": self.name, "token": None, "holds": False})

    async def hold(self, wait_s, seconds):
        """Takes the lock, works and gives it back; whether it was got."""
        if not await self.acquire(wait_s):
            return False
        await self.work(seconds)
        await self.release()
        return True

    async def end(self):
        """The application is done with the lock, and looks what was left behind."""
        await self.clock.sleep(A_WHILE)
        note("idle", None)
        self.done.set()


async def new(solution, at=0.0, beats=True, ttl=TTL, name=NAME):
    clock = Clock()
    await clock.sleep(max(at - clock(), 0))
    application = Application(solution, clock, name)
    await application.begin(beats, ttl)
    return application


async def use(solution, at, wait_s, seconds, beats=True):
    """One application that comes at a time, waits, holds the lock for so long, and is done."""
    application = await new(solution, at, beats)
    await application.hold(wait_s, seconds)
    await application.end()


def refused(wait_s):
    broke("free lock", f"Nobody stood in line, and acquire({wait_s:g}) did not take the lock. A lock that is free is "
          "taken, also with a budget of 0.")


async def until(seconds):
    await Clock().sleep(max(seconds - Clock()(), 0))


# --- what the search goes through -------------------------------------------------------------------------------


async def trio(client, solution):
    """A holds the lock, B gives up behind it, C waits behind both."""
    if Clock()() > 0.5:
        # Another life.
        await use(solution, 0.0, 15.0, 0.5)
    elif client == 0:
        await use(solution, 0.0, 4.0, 2.0)
    elif client == 1:
        await use(solution, 0.25, 1.0, 0.5)
    else:
        await use(solution, 0.5, 15.0, 0.5)


async def pair(client, solution):
    """A holds the lock; B waits for it."""
    if client == 0 or Clock()() > 0.5:
        await use(solution, 0.0, 15.0, 1.0)
    else:
        await use(solution, 0.25, 15.0, 0.5)


# --- the named tests --------------------------------------------------------------------------------------------


async def alone(client, solution):
    """One client takes a free lock, gives it back, and takes it again."""
    application = await new(solution)
    for wait_s in (5.0, 0.0, 1.5):
        if not await application.hold(wait_s, 1.0):
            refused(wait_s)
        await application.clock.sleep(1.0)
    # And without a pause: when release() has returned, the lock is free.
    for wait_s in (0.0, 2.0):
        if not await application.hold(wait_s, 0.5):
            refused(wait_s)
    await application.end()


async def line(client, solution):
    """Four clients come one after the other."""
    await use(solution, 0.5 * client, 40.0, 2.0)


async def herd(client, solution):
    """Six clients wait when A gives the lock back; each holds it for a moment."""
    await use(solution, TICK * 3 * client, 40.0, 2.0 if client == 0 else 0.5)


async def long_wait(client, solution):
    """A holds the lock for a minute; B waits for it."""
    await use(solution, float(client), 90.0, 60.0 if client == 0 else 1.0)


async def middle(client, solution):
    """A holds the lock. B gives up soon; C, which stands behind B, waits for longer."""
    if client == 0:
        await use(solution, 0.0, 1.0, 8.0)
    elif client == 1:
        await use(solution, 0.5, 1.5, 1.0)
    else:
        await use(solution, 1.0, 20.0, 1.0)


async def all_leave(client, solution):
    """A holds the lock; B, C and D wait, and B and C give up at one instant."""
    if client == 0:
        await use(solution, 0.0, 1.0, 8.0)
    elif client < 3:
        await use(solution, 0.5 * client, 3.0 - 0.5 * client, 1.0)
    else:
        await use(solution, 1.5, 20.0, 1.0)


async def crash(client, solution):
    """A takes the lock, B and C wait. Whoever crashes does not come back."""
    if Clock()() > 2.0:
        return
    await use(solution, 0.5 * client, 40.0, 3.0)


async def gap(client, solution):
    """A gives the lock back while B is on its way into the queue; over and over, a tick later each time."""
    application = await new(solution)
    for late in range(16):
        base = 1.0 + 8.0 * late
        if client == 0:
            await until(base)
            if not await application.acquire(0.0):
                refused(0.0)
            await until(base + 1.0 + late * TICK)
            await application.release()
        else:
            await until(base + 1.0)
            await application.hold(6.0, 3.0)
    await application.end()


async def dead(client, solution):
    """B's and C's heartbeats have stopped; their sessions end while they wait. A works on, and D waits behind them."""
    if client == 0:
        await use(solution, 0.0, 1.0, 25.0)
    elif client < 3:
        # They ask when their sessions have run for some time already, so that no look by the clock falls on the end.
        application = await new(solution, 1.0, beats=False)
        await until(1.0 + 3.5 * client)
        await application.hold(30.0, 1.0)
        await application.end()
    else:
        await use(solution, 9.0, 30.0, 1.0)


async def dead_alone(client, solution):
    """B's heartbeats have stopped; its session ends at the instant at which A gives the lock back, or just about."""
    if client == 0:
        await use(solution, 0.0, 1.0, 11.0)
    else:
        await use(solution, 1.0, 30.0, 1.0, beats=False)


async def stale(client, solution):
    """An application that does not know yet that its session is over asks for the lock, which is free or not."""
    if client == 0:
        await use(solution, 0.0, 1.0, 40.0)
        return
    application = await new(solution, beats=False)
    await until(12.0)
    await application.hold(5.0, 1.0)
    await application.end()


async def budgets(client, solution):
    """A holds the lock; B tries with several budgets."""
    if client == 0:
        await use(solution, 0.0, 1.0, 50.0)
        return
    application = await new(solution, 1.0)
    for wait_s in (0.0, 0.25, 3.0, 0.0, 1.125, 12.5):
        await application.hold(wait_s, 1.0)
        await application.clock.sleep(0.25)
    await application.end()


async def hundred(client, solution):
    """A holds the lock; B and C ask fifty times each, and give up soon each time."""
    if client == 0:
        await use(solution, 0.0, 1.0, 60.0)
        return
    application = await new(solution, 1.0 + 0.125 * client)
    for _ in range(50):
        await application.acquire(0.25)
    await application.end()


async def again(client, solution):
    """A crashes while it stands in line, or holds the lock, and comes back while its old session still runs."""
    if Clock()() > 0.75:
        await use(solution, 0.0, 30.0, 1.0)
    elif client == 0:
        await use(solution, 0.0, 10.0, 4.0)
    else:
        await use(solution, 0.5, 30.0, 1.0)


async def late_release(client, solution):
    """A's session is over while it works; B has taken over when A gives the lock back, twice."""
    if client == 0:
        application = await new(solution, beats=False)
        await application.acquire(1.0)
        await until(13.0)
        await application.release()
        await application.release()
        await application.end()
    elif client == 1:
        await use(solution, 1.0, 30.0, 8.0)
    else:
        await use(solution, 2.0, 30.0, 1.0)


async def early_release(client, solution):
    """B calls release() without a lock: before it has asked, and after it gave up."""
    if client == 0:
        await use(solution, 0.0, 1.0, 10.0)
        return
    application = await new(solution, 1.0)
    await application.release()
    await application.acquire(1.0)
    await application.release()
    await application.hold(20.0, 1.0)
    await application.release()
    await application.end()


async def lost(client, solution):
    """A holds the lock for 5 s; B waits for it, and holds it soon after."""
    await use(solution, 0.5 * client, 30.0, 5.0 - 4.0 * client)


async def brief(client, solution):
    """A holds the lock for long; B comes with a budget of 2 s, and C stands behind B."""
    if client == 0:
        await use(solution, 0.0, 10.0, 10.0)
    elif client == 1:
        await use(solution, 0.5, 2.0, 1.0)
    else:
        await use(solution, 1.0, 30.0, 1.0)


async def cut_off(client, solution):
    """A holds the lock for 5 s, B gives up after 2 s, C waits. Sessions outlive a long partition; nobody is in a hurry."""
    application = await new(solution, 0.5 * client, ttl=LONG_TTL)
    await application.hold((5.0, 2.0, 90.0)[client], (5.0, 1.0, 1.0)[client])
    # Nobody ends before every removal that was asked for can have been answered.
    await until(50.0)
    await application.end()


async def out_of_reach(client, solution):
    """A gives the lock back and can't reach the service for much longer than anybody tries. Nothing is raised."""
    application = await new(solution, beats=False, ttl=LONG_TTL)
    await application.hold(0.0, 2.0)


async def two_names(client, solution):
    """A holds one lock, and B takes another."""
    application = await new(solution, 1.0 * client, name=("job", "mail")[client])
    if not await application.hold(0.0, 4.0):
        broke("names", f"acquire(0) of the lock {application.name!r} did not take it, though only a lock with another name "
              "was held. The queue has the name of the lock: others have nothing to do with it.")
    await application.end()
