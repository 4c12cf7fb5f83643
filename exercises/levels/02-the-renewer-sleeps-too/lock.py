from leasehold import Clock, LockService, Signal, Storage, spawn

TTL = 10.0
clock, locks, storage = Clock(), LockService(), Storage()


async def renew(grant, done, lost):
    # Three times in a lease, so that it never runs out.
    while not await done.wait(3.25):
        if not await locks.renew("report", grant.ownership_token, TTL):
            lost.set()
            return


async def client(number, believes):
    await clock.sleep(4.0 * number)
    while (grant := await locks.acquire("report", TTL)) is None:
        await clock.sleep(4.0)
    believes(True, grant.fencing_token)
    done, lost = Signal(), Signal()
    spawn(renew(grant, done, lost))
    await clock.sleep(6.0)
    if not lost.is_set():
        await storage.write("report", grant.fencing_token, f"by client {number}")
    done.set()
    believes(False)
    await locks.release("report", grant.ownership_token)
