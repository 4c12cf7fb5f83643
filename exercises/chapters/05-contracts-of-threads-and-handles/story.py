from leasehold import Clock, LockService, StaleFencingToken, Storage, spawn

clock, locks, storage = Clock(), LockService(), Storage()


async def work(grant, seconds, what):
    await clock.sleep(seconds)
    try:
        await storage.write("report", grant.fencing_token, what)
    except StaleFencingToken:
        pass
    await locks.release("report", grant.ownership_token)


async def client(number, believes):
    await clock.sleep(2.0 * number)
    grant = await locks.acquire("report", 10.0)
    if grant is None:
        return
    believes(grant, True)
    # In A two tasks work under one grant, and whichever is done first releases it.
    other = spawn(work(grant, 5.0, "the appendix")) if number == 0 else None
    await work(grant, 1.0, "the report")
    if other is not None:
        await other
    believes(grant, False)
