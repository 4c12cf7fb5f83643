from leasehold import Clock, LockService, Signal, Storage, spawn

TTL = 10.0
clock, locks, storage = Clock(), LockService(), Storage()


class Lease:
    def __init__(self, grant, asked):
        self.grant, self.deadline, self.over = grant, asked + TTL, Signal()

    def is_held(self):
        return not self.over.is_set() and clock() < self.deadline

    async def renew(self):
        while not await self.over.wait(3.25) and self.is_held():
            sent = clock()
            if not await locks.renew("report", self.grant.ownership_token, TTL):
                self.over.set()
            self.deadline = max(self.deadline, sent + TTL)


async def client(number, believes):
    await clock.sleep(4.0 * number)
    asked = clock()
    while (grant := await locks.acquire("report", TTL)) is None:
        await clock.sleep(4.0)
        asked = clock()
    believes(True, grant.fencing_token)
    lease = Lease(grant, asked)
    spawn(lease.renew())
    await clock.sleep(6.0)
    # Nothing stands between the check and the write.
    if lease.is_held():
        await storage.write("report", grant.fencing_token, f"by client {number}")
    lease.over.set()
    believes(False)
    await locks.release("report", grant.ownership_token)
