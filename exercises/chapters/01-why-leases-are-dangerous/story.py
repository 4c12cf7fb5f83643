from leasehold import Clock, LockService, Storage

clock, locks, storage = Clock(), LockService(), Storage()


async def client(number, believes):
    if number == 1:
        await clock.sleep(12.0)
    grant = await locks.acquire("report", 10.0)
    if grant is None:
        return
    believes(grant, True)
    await storage.write("report", grant.fencing_token, f"by client {number}")
    believes(grant, False)
    await locks.release("report", grant.ownership_token)
