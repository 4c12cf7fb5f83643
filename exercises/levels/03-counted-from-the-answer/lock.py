from leasehold import Clock, LockService, TransportError

TTL = 10.0
MARGIN = 0.25
clock, locks = Clock(), LockService()


async def client(number, believes):
    await clock.sleep(10.0 * number)
    try:
        grant = await locks.acquire("report", TTL)
    except TransportError:
        return
    if grant is None:
        return
    deadline = clock() + TTL - MARGIN
    believes(True, grant.fencing_token)
    # Works as long as the lease runs, and stops in time.
    await clock.sleep(deadline - clock())
    believes(False)
