from leasehold import Clock, LockService, StaleFencingToken, Storage, TransportError

TTL = 10.0
clock, locks, storage = Clock(), LockService(), Storage()


async def ask():
    for _ in range(2):
        asked = clock()
        try:
            if grant := await locks.acquire("report", TTL):
                return grant, asked + TTL
        except TransportError:
            pass
        await clock.sleep(6.0)
    return None, asked


async def write(grant, text):
    for _ in range(2):
        try:
            await storage.write("report", grant.fencing_token, text)
            return
        except StaleFencingToken:
            return  # Somebody newer was here.
        except TransportError:
            pass  # It may have been done. The same token passes again.


async def client(number, believes):
    await clock.sleep(6.0 * number)
    grant, deadline = await ask()
    if grant is None:
        return
    believes(True, grant.fencing_token)
    await clock.sleep(4.0)
    if clock() < deadline:
        await write(grant, f"by client {number}")
    believes(False)
    try:
        await locks.release("report", grant.ownership_token)
    except TransportError:
        pass
