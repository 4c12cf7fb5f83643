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
            return
        await clock.sleep(2.0)
    else:
        return
    believes(True)
    await clock.sleep(seconds)
    believes(False)
    spawn(give_back(me))


async def client(number, believes):
    me = f"client {number}"
    await clock.sleep(7.0 * number)
    await hold(me, believes, 2.0)
    if number == 0:
        # A needs the lock a second time.
        await clock.sleep(2.0)
        await hold(me, believes, 4.0)
