from leasehold import Clock, Node

TTL = 10.0
clock, locks = Clock(), Node("locks")


async def client(number, believes):
    await clock.sleep(10.0 * number)
    # A key that is set is a lock that is held: set it if it is absent, with a time to live.
    if not await locks.acquire("report", "locked", TTL):
        return
    believes(True)
    await clock.sleep(4.0)
    believes(False)
    # Delete the key.
    await locks.release("report", "locked")
