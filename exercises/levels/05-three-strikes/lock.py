from leasehold import Clock, LockService, Signal, TransportError, spawn

TTL = 10.0
clock, locks = Clock(), LockService()


async def renew(grant, lost):
    failed = 0
    while failed < 3:
        if await lost.wait(3.0):
            return
        try:
            if not await locks.renew("report", grant.ownership_token, TTL):
                break
            failed = 0
        except TransportError:
            failed += 1
    lost.set()


async def ask():
    for _ in range(4):
        try:
            if grant := await locks.acquire("report", TTL):
                return grant
        except TransportError:
            pass
        await clock.sleep(3.0)


async def client(number, believes):
    await clock.sleep(10.5 * number)
    grant = await ask()
    if grant is None:
        return
    believes(True, grant.fencing_token)
    lost = Signal()
    spawn(renew(grant, lost))
    await lost.wait(12.0)
    lost.set()
    believes(False)
    try:
        await locks.release("report", grant.ownership_token)
    except TransportError:
        pass
