from leasehold import Clock, LockService, Signal, StaleFencingToken, Storage, spawn

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
    await clock.sleep(19.0 * number)
    asked = clock()
    grant = await locks.acquire("report", TTL)
    if grant is None:
        return
    believes(grant, True)
    lease = Lease(grant, asked)
    spawn(lease.renew())
    await clock.sleep(7.0 if number == 0 else 1.0)
    if lease.is_held():
        try:
            await storage.write("report", grant.fencing_token, f"by client {number}")
        except StaleFencingToken:
            pass
    lease.over.set()
    believes(grant, False)
