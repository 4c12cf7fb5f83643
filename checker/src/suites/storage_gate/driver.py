"""The application around a learner's FencedStore: holders of fencing tokens that write, and read back what is stored."""

import _leasehold
from _leasehold_driver import awaited, broke
from leasehold import (Clock, Database, Deadlock, Duplicate, LockService, StaleFencingToken, TransactionOver,
                       TransportError)

note = _leasehold.note
clock = Clock()
TICK = 1 / 64
REPORT = "report"
INVOICE = "invoice"
# How often a call that could not finish is made again.
TRIES = 20
UNFINISHED = (TransportError, Duplicate, Deadlock, TransactionOver)


async def write(store, resource, token, value):
    """Writes until it is accepted or rejected; whether it was accepted."""
    text = f"write({resource!r}, {token}, {value!r})"
    for attempt in range(TRIES):
        if attempt:
            await clock.sleep(0.25)
        note("says", f"calls {text}")
        note("writes", {"resource": resource, "token": token, "value": value})
        try:
            await awaited(store.write(resource, token, value), "write()")
        except StaleFencingToken:
            note("says", f"{text} is rejected")
            note("rejected", None)
            return False
        except UNFINISHED as error:
            problem = type(error).__name__
            note("says", f"{text} ended with {problem}: stored or not, the caller can't know")
            note("unfinished", problem)
        except Exception as error:
            if type(error).__name__ == "StaleFencingToken":
                broke("stale", f"{text} raised a StaleFencingToken that is not leasehold's. Callers catch that one: from "
                      "leasehold import StaleFencingToken.")
            raise
        else:
            note("says", f"{text} is accepted")
            note("accepted", None)
            return True
    broke("writes end", f"{text} raised {problem} {TRIES} times, the last time at {clock():g} s. A write that is tried "
          "again gets through sooner or later, or is rejected.")


async def read(store, resource):
    for attempt in range(TRIES):
        if attempt:
            await clock.sleep(0.25)
        note("reads", resource)
        try:
            value = await awaited(store.read(resource), "read()")
        except UNFINISHED as error:
            problem = type(error).__name__
            note("says", f"read({resource!r}) ended with {problem}")
            note("unfinished", problem)
            continue
        note("says", f"read({resource!r}) gives {value!r}")
        try:
            note("read", value)
        except (TypeError, OverflowError):
            broke("reads", f"read({resource!r}) gave {value!r}, which was never written.")
        return
    broke("reads end", f"read({resource!r}) raised {problem} {TRIES} times in a row.")


def new_store(solution):
    return solution["FencedStore"](Database())


async def rest():
    """Lets tasks that were spawned come to their end."""
    await clock.sleep(0.25)


async def until(seconds):
    await clock.sleep(max(seconds - clock(), 0))


# --- what the search goes through -------------------------------------------------------------------------------


async def rivals(client, solution):
    """A holds token 1 and B token 2. A writes twice, B once; A reads when all should be over."""
    store = new_store(solution)
    if client == 1:
        await write(store, REPORT, 2, "B1")
        return
    await write(store, REPORT, 1, "A1")
    await write(store, REPORT, 1, "A2")
    await look(store)


async def look(store):
    await until(6)
    await read(store, REPORT)
    await rest()


# --- the named tests --------------------------------------------------------------------------------------------


async def back(client, solution):
    """What is written can be read; before, there is nothing."""
    store = new_store(solution)
    await read(store, REPORT)
    for token, value in enumerate(["draft", "", 0, [1, {"pages": 2.5}], "final"]):
        await write(store, REPORT, token, value)
        await read(store, REPORT)
    await rest()


async def same(client, solution):
    """A writes twice with its token, then B with the same one."""
    store = new_store(solution)
    if client == 0:
        await write(store, REPORT, 0, "A1")
        await read(store, REPORT)
        await write(store, REPORT, 0, "A2")
        await read(store, REPORT)
    else:
        await until(10)
        await write(store, REPORT, 0, "B1")
        await write(store, REPORT, 3, "B2")
        await write(store, REPORT, 3, "B3")
    await read(store, REPORT)
    await rest()


async def stale(client, solution):
    """B's token replaces A's; then A writes again."""
    store = new_store(solution)
    if client == 0:
        await write(store, REPORT, 9, "A1")
        await until(20)
        await write(store, REPORT, 9, "A2")
        await read(store, REPORT)
        await write(store, REPORT, 0, "A3")
    else:
        await until(10)
        await write(store, REPORT, 10, "B1")
        await read(store, REPORT)
        await until(30)
    await read(store, REPORT)
    await rest()


async def taken_over(client, solution):
    """Tokens as they are made: A takes a lock for 10 s and writes; when its lease is over B takes it and writes; then A,
    which slept through all that, writes once more."""
    store = new_store(solution)
    if client == 1:
        await until(12)
    grant = await LockService().acquire(REPORT, 10.0)
    token = grant.fencing_token
    note("believes", {"name": REPORT, "token": token, "holds": True})
    await write(store, REPORT, token, "AB"[client] + "1")
    await clock.sleep(3)
    await write(store, REPORT, token, "AB"[client] + "2")
    note("believes", {"name": REPORT, "token": token, "holds": False})
    await read(store, REPORT)
    await rest()


async def unmoved(client, solution):
    """After a rejected write everything is as before: the mark is neither lower nor forgotten."""
    store = new_store(solution)
    await write(store, REPORT, 5, "A1")
    for token in (1, 4, 3):
        await write(store, REPORT, token, f"stale {token}")
        await read(store, REPORT)
    await write(store, REPORT, 6, "A2")
    await read(store, REPORT)
    await rest()


async def resources(client, solution):
    """Two resources, with a token each."""
    store = new_store(solution)
    await write(store, REPORT, 5, "R1")
    await read(store, INVOICE)
    await write(store, INVOICE, 1, "I1")
    await read(store, INVOICE)
    await write(store, REPORT, 4, "R2")
    await write(store, INVOICE, 2, "I2")
    await read(store, REPORT)
    await write(store, REPORT, 6, "R3")
    await read(store, REPORT)
    await read(store, INVOICE)
    await rest()


async def again(client, solution):
    """A writes and starts again with a new FencedStore; the holder before it writes late, in B's process."""
    if client == 1:
        store = new_store(solution)
        await until(20)
        await write(store, REPORT, 1, "B1")
        await read(store, REPORT)
    elif clock() < 5:
        # The first life.
        await write(new_store(solution), REPORT, 2, "A1")
        store = new_store(solution)
        await write(store, REPORT, 1, "stale")
        await read(store, REPORT)
        await until(10)
        await write(store, REPORT, 3, "A2")
    else:
        store = new_store(solution)
        await read(store, REPORT)
        await write(store, REPORT, 1, "stale")
        await write(store, REPORT, 4, "A3")
        await read(store, REPORT)
    await rest()


async def half(client, solution):
    """B writes with token 2 and crashes on the way. A, whose token is older, looks what became of it, and writes."""
    store = new_store(solution)
    if client == 1:
        # Its second life does nothing.
        if clock() == 0:
            await write(store, REPORT, 2, "B1")
        return
    await until(3)
    await read(store, REPORT)
    await write(store, REPORT, 1, "A1")
    await read(store, REPORT)
    await rest()


async def race(client, solution, lead, first, second, before=None):
    """A writes with token `first` and B with `second`, one of them a little later than the other, and both read; over
    and over, on a resource for each delay."""
    store = new_store(solution)
    for late in range(0, 16):
        base = 1 + 4 * late
        resource = f"page {late}"
        if before is not None and client == 0:
            await until(base)
            await write(store, resource, before, "old")
        await until(base + 1 + (late * TICK if client != lead else 0))
        await write(store, resource, (first, second)[client], f"{'AB'[client]}{late}")
        await until(base + 3)
        await read(store, resource)
    await rest()


async def new_a_first(client, solution):
    await race(client, solution, 0, 1, 2)


async def new_b_first(client, solution):
    await race(client, solution, 1, 1, 2)


async def equal_tokens(client, solution):
    await race(client, solution, 0, 2, 2)


async def old_a_first(client, solution):
    await race(client, solution, 0, 2, 3, before=1)


async def old_b_first(client, solution):
    await race(client, solution, 1, 2, 3, before=1)


async def alone(client, solution):
    """One client writes; whatever goes wrong, it tries again until it is through. Then a new holder writes."""
    store = new_store(solution)
    await write(store, REPORT, 2, "A1")
    await read(store, REPORT)
    await write(store, REPORT, 3, "A2")
    await read(store, REPORT)
    await write(store, REPORT, 4, "A3")
    await read(store, REPORT)
    await rest()


async def after(client, solution):
    """A is rejected, or can't reach the database. B writes soon after."""
    store = new_store(solution)
    if client == 0:
        await write(store, REPORT, 2, "A1")
        await write(store, REPORT, 1, "stale")
        await until(5)
        await write(store, REPORT, 4, "A2")
    else:
        await until(3)
        await write(store, REPORT, 3, "B1")
        await until(6)
        await write(store, REPORT, 5, "B2")
        await read(store, REPORT)
    await rest()
