from leasehold import Clock, Node, TransportError

TTL = 10.0
clock, locks = Clock(), Node("locks")


async def give_back():
    try:
        await locks.release("report", "locked")
    except TransportError:
        pass


async def client(number, believes):
    await clock.sleep(3.0 * number)
    try:
        if not await locks.acquire("report", "locked", TTL):
            return
    except TransportError:
        # It may have been done, and nobody would ever give it back.
        await give_back()
        return
    believes(True)
    await clock.sleep(6.0)
    believes(False)
    await give_back()
