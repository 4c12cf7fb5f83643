"""The application around a learner's Acquirer: it waits for locks, and tells what became of each wait."""

import _leasehold
from _leasehold_driver import awaited, broke
from leasehold import BadRequest, Cancelled, Clock, LockService, Signal, TransportError, spawn

note = _leasehold.note
JOB = "job"
TTL = 4.0
TICK = 1 / 64
# Long enough to see a try that should not come any more.
A_WHILE = 6.0


def new(solution, base_s=0.25, cap_s=2.0):
    return solution["Acquirer"](LockService(), Clock(), base_s, cap_s)


def as_written(solution):
    """With what the task gives for the pauses: nothing else is said, and all has a name."""
    try:
        return solution["Acquirer"](service=LockService(), clock=Clock())
    except TypeError as error:
        broke("defaults", f"Acquirer(service=…, clock=…) raised TypeError: {error}. base_s is 0.25 and cap_s is 2.0 if nothing "
              "else is said.")


def told(name, ttl, wait_s):
    return f"acquire({name!r}, {ttl:g}, {wait_s:g})"


async def wait(acquirer, wait_s, name=JOB, ttl=TTL, base_s=0.25, cap_s=2.0, passes=(), leaves_out=False,
               named=False):
    """One call of acquire(); its grant, or None."""
    call = told(name, ttl, wait_s)
    note("says", f"{call} is called")
    note("waits", {"name": name, "ttl": ttl, "budget": wait_s, "base": base_s, "cap": cap_s})
    try:
        if leaves_out:
            grant = await awaited(acquirer.acquire(name, ttl), "acquire()")
        elif named:
            grant = await awaited(acquirer.acquire(name=name, ttl=ttl, wait_s=wait_s), "acquire()")
        else:
            grant = await awaited(acquirer.acquire(name, ttl, wait_s), "acquire()")
    except TransportError:
        broke("errors spend budget", f"{call} raised TransportError. A try without an answer spends budget like a refusal: "
              "try again until the deadline, then return None.")
        return None
    except passes:
        note("says", f"{call} lets the exception pass")
        note("waited", {"name": name, "ttl": ttl, "end": "raised", "token": None})
        raise
    if grant is None:
        note("says", f"{call} gives None")
        note("waited", {"name": name, "ttl": ttl, "end": "none", "token": None})
        return None
    token = getattr(grant, "fencing_token", None)
    if not isinstance(token, int) or not isinstance(getattr(grant, "ownership_token", None), str):
        broke("what it returns", f"{call} gave {grant!r}. It returns the Grant that the service gave, or None.")
    note("says", f"{call} gives the grant with token {token}")
    note("waited", {"name": name, "ttl": ttl, "end": "granted", "token": token})
    return grant


async def release(grant):
    if grant is not None:
        note("gives back", grant.name)
        try:
            await LockService().release(grant.name, grant.ownership_token)
        except TransportError:
            pass


async def rest():
    await Clock().sleep(A_WHILE)


# --- what the search goes through -------------------------------------------------------------------------------


async def one(client, solution):
    """The lock is free after 2.5 s, and the budget 4 s."""
    if client == 0:
        await wait(new(solution, 0.5, 1.0), 4.0, base_s=0.5, cap_s=1.0)
        await Clock().sleep(2.0)


# --- the named tests --------------------------------------------------------------------------------------------


async def free(client, solution):
    """Nobody holds it: with a budget, with a fraction of one, with none."""
    if client == 0:
        acquirer = new(solution)
        for wait_s in (3, 0.5, 0):
            await release(await wait(acquirer, wait_s, named=wait_s == 0.5))
        await rest()


async def at_once(client, solution):
    """It is held, and there is no budget: 0, 0.0, and nothing at all."""
    if client == 0:
        acquirer = new(solution)
        await wait(acquirer, 0)
        await wait(acquirer, 0.0)
        await wait(acquirer, 0, leaves_out=True)
        await wait(as_written(solution), 0, leaves_out=True)
        await rest()


async def held(client, solution):
    """Budgets that are less than a round trip, than the base, than the cap, and much more."""
    if client == 0:
        acquirer = new(solution)
        clock = Clock()
        for n, wait_s in enumerate((1 / 128, 0.125, 1, 3.5, 10.0)):
            # On the grid, so that the deadline is exact.
            await clock.sleep(20 * n - clock())
            await wait(acquirer, wait_s)
        await rest()


async def freed_at_the_end(client, solution):
    """It is free when the deadline comes, and no sooner. (A try may just be under way then: that is the last.)"""
    if client == 0:
        await wait(new(solution), 2.5)
        await rest()


async def freed_late(client, solution):
    if client == 0:
        grant = await wait(new(solution), 30)
        if grant is None:
            broke("it gets the lock", "The lock was free from 2.5 s on, and acquire() with 30 s to wait gave None.")
        await rest()


class Unasked(LockService):
    """A service that must not be asked."""

    __slots__ = ("wait_s",)

    async def acquire(self, name, ttl):
        broke("no bound", f"acquire() asked the service although wait_s was {self.wait_s!r}. There is no wait without a "
              "bound: what is not a finite number from 0 on is a ValueError, before anything is asked.")


async def no_budget(client, solution):
    if client == 0:
        for wait_s in (None, float("inf"), float("nan"), -1, -0.001, float("-inf")):
            service = Unasked()
            service.wait_s = wait_s
            acquirer = solution["Acquirer"](service, Clock(), 0.25, 2.0)
            note("says", f"calls acquire({JOB!r}, {TTL:g}, {wait_s!r})")
            try:
                answer = await awaited(acquirer.acquire(JOB, TTL, wait_s), "acquire()")
            except ValueError:
                note("says", "acquire() raises ValueError")
                continue
            except TypeError:
                if wait_s is None:
                    continue
                raise
            broke("no bound", f"acquire() with wait_s {wait_s!r} gave {answer!r}. What is not a finite number from 0 on is "
                  "a ValueError.")


async def spread(client, solution):
    """Sixteen waiters, each for a lock of its own. A's share one Acquirer, C's have one each."""
    if client == 1:
        return
    shared = new(solution, 0.125, 4.0)
    tasks = []
    for n in range(16):
        acquirer = shared if client == 0 else new(solution, 0.125, 4.0)
        tasks.append(spawn(wait(acquirer, 60.0, name=f"job {n}", base_s=0.125, cap_s=4.0)))
    for task in tasks:
        await task


async def low_cap(client, solution):
    """The cap is less than the base, and holds from the first pause on."""
    if client == 0:
        acquirer = new(solution, 4.0, 0.5)
        for _ in range(3):
            await wait(acquirer, 8.0, base_s=4.0, cap_s=0.5)


async def defaults(client, solution):
    """Nothing is said of the pauses. Sixteen waiters, so that chance shows how long they are."""
    if client == 0:
        tasks = [spawn(wait(as_written(solution), 30.0, name=f"job {n}")) for n in range(16)]
        for task in tasks:
            await task


async def side_by_side(client, solution):
    """One Acquirer, and tasks that wait at once: for other locks, with other budgets and other ttls."""
    if client == 0:
        acquirer = new(solution)
        given = ((9.0, 4.0), (2.5, 8.0), (0, 6.0), (14.0, 3.0), (5.0, 5.0))
        tasks = []
        for n, (wait_s, ttl) in enumerate(given):
            tasks.append(spawn(wait(acquirer, wait_s, name=f"job {n}", ttl=ttl)))
            if n >= 2:
                await Clock().sleep(0.5)
        for task in tasks:
            await task
        await rest()


async def same_name(client, solution):
    """One Acquirer, and tasks that wait at once for the same lock, with other budgets. (Their ttls tell them apart.)"""
    if client == 0:
        acquirer = new(solution, 0.125, 8.0)
        tasks = []
        for n, wait_s in enumerate((20.0, 12.0, 15.0, 0, 9.0, 3.0, 0, 18.0)):
            tasks.append(spawn(wait(acquirer, wait_s, ttl=TTL + n, base_s=0.125, cap_s=8.0)))
            if n % 2:
                await Clock().sleep(1.5)
        for task in tasks:
            await task
        await rest()


async def late_beside(client, solution):
    """One Acquirer: while a try takes longer than its ttl, another call begins."""
    if client == 0:
        acquirer = new(solution)
        task = spawn(wait(acquirer, 2.0, name="job 0", ttl=0.5))
        await Clock().sleep(0.375)
        await wait(acquirer, 2.0, name="job 1", ttl=0.5)
        await task


async def for_a_moment(acquirer, tokens):
    grant = await wait(acquirer, 12.0)
    if grant is None:
        return
    if grant.fencing_token in tokens:
        broke("calls apart", f"Two calls of acquire() that waited at once both returned the grant with token "
              f"{grant.fencing_token}. Each call has tries of its own, and one grant is for one caller.")
    tokens.append(grant.fencing_token)
    await Clock().sleep(0.5)
    await release(grant)


async def same_call(client, solution):
    """One Acquirer, and three tasks that call it at once with the same arguments. Each keeps the lock for a moment."""
    if client == 0:
        acquirer = new(solution)
        tokens = []
        tasks = [spawn(for_a_moment(acquirer, tokens)) for _ in range(3)]
        for task in tasks:
            await task
        if not tokens:
            broke("it gets the lock", "Three tasks waited up to 12 s for a free lock, and none of them got it.")


async def herd(client, solution):
    """Five waiters for the same lock in each process. They don't have the same deadline: at it, they do ask."""
    if client == 1:
        return
    tasks = []
    for n in range(5):
        acquirer = new(solution)
        tasks.append(spawn(wait(acquirer, 8.0 + (5 * client + n) / 8)))
    for task in tasks:
        await task


async def overflow(client, solution):
    if client == 0:
        acquirer = new(solution, TICK, TICK)
        try:
            await wait(acquirer, 60, base_s=TICK, cap_s=TICK)
        except OverflowError as error:
            broke("overflow", f"acquire() raised OverflowError at {Clock()():g} s, after more than a thousand tries: {error}. "
                  "A float ends below 2**1024, and the cap was reached long before.")


async def short_ttl(client, solution):
    """Leases so short that an answer can come when they are over."""
    if client == 0:
        grant = await wait(new(solution), 3.0, ttl=0.5)
        if grant is None:
            broke("it gets the lock", "The lock was free for most of the time, and acquire() with 3 s to wait gave None.")
        await rest()


async def short_ttl_at_once(client, solution):
    """The same without a budget. What is given back then is given back before the end."""
    if client == 0:
        await wait(new(solution), 0, ttl=0.5)
        await Clock().sleep(90.0)


async def in_turn(client, solution):
    """One after the other, with the same Acquirer."""
    if client == 0:
        acquirer = new(solution, 0.125)
        clock = Clock()
        for n in range(8):
            await clock.sleep(4 * n - clock())
            await wait(acquirer, 3, name=f"job {n}", base_s=0.125)


async def one_that_is_cancelled(acquirer, name, wait_s, cancelled):
    """After `cancelled` is set it lets nothing but Cancelled through."""
    try:
        await wait(acquirer, wait_s, name=name, passes=(Cancelled,))
    except Cancelled:
        return
    if cancelled.is_set():
        broke("cancelled", "acquire() returned although its task had been cancelled. Cancelled must pass: the caller is "
              "not there any more, and a grant would be nobody's.")


async def cancelled(client, solution):
    """Waiters are cancelled while they sleep or ask, at several moments."""
    if client == 0:
        acquirer = new(solution)
        clock = Clock()
        for n, seconds in enumerate((TICK, 1.0, 1.25, 1.5)):
            name = f"job {n}"
            gone = Signal()
            task = spawn(one_that_is_cancelled(acquirer, name, 30, gone))
            await clock.sleep(seconds)
            if not task.done():
                gone.set()
                note("says", f"the task that waits for {name!r} is cancelled")
                task.cancel()
                note("cancelled", name)
                await task
        await rest()
        await rest()


async def no_ttl(client, solution):
    """The service can make nothing of this ttl."""
    if client == 0:
        clock = Clock()
        for wait_s in (5, 0):
            began = clock()
            try:
                grant = await wait(new(solution), wait_s, ttl=0, passes=(BadRequest,))
            except BadRequest:
                if clock() > began + 0.25:
                    broke("other exceptions", f"The service raised BadRequest at {began + 2 * TICK:g} s, and acquire() let it "
                          f"pass only at {clock():g} s. Trying again will not help: let it pass at once.")
                continue
            broke("other exceptions", f"The service raised BadRequest, and acquire() gave {grant!r}. Only a TransportError "
                  "means that trying again may help: let everything else pass.")


async def long_budget(client, solution):
    """A budget that outlasts a lease which nobody knows of."""
    if client == 0:
        await wait(new(solution), 12)
        await Clock().sleep(2.0)
