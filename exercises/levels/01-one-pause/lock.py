from leasehold import Clock, LockService, Storage

TTL = 10.0
clock, locks, storage = Clock(), LockService(), Storage()


async def client(number, believes):
    # B comes after 10 s, when A has long finished.
    await clock.sleep(10.0 * number)
    grant = await locks.acquire("report", TTL)
    if grant is None:
        return
    believes(True, grant.fencing_token)
    await clock.sleep(3.0)
    await storage.write("report", grant.fencing_token, f"by client {number}")
    believes(False)
    await locks.release("report", grant.ownership_token)
