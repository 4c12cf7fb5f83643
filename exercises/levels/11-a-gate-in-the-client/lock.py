from leasehold import Clock, LockService, Storage

TTL = 10.0
clock, locks, storage = Clock(), LockService(), Storage()


async def fenced_write(token, text):
    # The token is kept beside the text: whoever finds a greater one comes too late.
    last = await storage.read("report")
    if last is not None and last[0] > token:
        return False
    await storage.write("report", token, [token, text])
    return True


async def client(number, believes):
    await clock.sleep(4.0 * number)
    while (grant := await locks.acquire("report", TTL)) is None:
        await clock.sleep(4.0)
    believes(True, grant.fencing_token)
    await clock.sleep(5.0)
    await fenced_write(grant.fencing_token, f"by client {number}")
    believes(False)
    await locks.release("report", grant.ownership_token)
