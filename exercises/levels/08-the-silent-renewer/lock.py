from leasehold import Clock, LockService, Signal, TransportError, spawn

TTL = 10.0
clock, locks = Clock(), LockService()


async def renew(grant, done):
    while not await done.wait(4.0):
        try:
            await locks.renew("report", grant.ownership_token, TTL)
        except TransportError:
            pass  # The next one will do.


async def ask():
    for _ in range(3):
        try:
            if grant := await locks.acquire("report", TTL):
                return grant
        except TransportError:
            return None
        await clock.sleep(4.0)


async def client(number, believes):
    await clock.sleep(11.0 * number)
    grant = await ask()
    if grant is None:
        return
    believes(True, grant.fencing_token)
    done = Signal()
    spawn(renew(grant, done))
    await clock.sleep(13.0)
    done.set()
    believes(False)
    try:
        await locks.release("report", grant.ownership_token)
    except TransportError:
        pass
