from leasehold import Clock, Node, TransportError, spawn

TTL = 10.0
clock, locks = Clock(), Node("locks")


async def give_back(me):
    # Tried again until an answer comes, each time after a longer wait.
    for wait in (0.5, 2.0, 4.0):
        try:
            await locks.release("report", me)
            return
        except TransportError:
            await clock.sleep(wait)


async def hold(me, believes, seconds):
    for _ in range(2):
        try:
            if await locks.acquire("report", me, TTL):
                break
        except TransportError:
            return None
        await clock.sleep(2.0)
    else:
        return None
    believes(True)
    await clock.sleep(seconds)
    believes(False)
    return spawn(give_back(me))


async def client(number, believes):
    me = "AB"[number]
    await clock.sleep(7.0 * number)
    last = await hold(me, believes, 2.0)
    if number == 0:
        # A needs the lock a second time.
        await clock.sleep(2.0)
        last = await hold(me, believes, 4.0)
    if last is not None:
        await last
