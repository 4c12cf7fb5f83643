from leasehold import Clock, LockService

TTL = 10.0
PIECE = 3.0
clock, locks = Clock(), LockService()


async def client(number, believes):
    await clock.sleep(10.0 * number)
    deadline = clock.wall() + TTL
    grant = await locks.acquire("report", TTL)
    if grant is None:
        return
    believes(True, grant.fencing_token)
    # One piece after the other, as long as one fits into the lease.
    while clock.wall() + PIECE < deadline:
        await clock.sleep(PIECE)
    believes(False)
    await locks.release("report", grant.ownership_token)
