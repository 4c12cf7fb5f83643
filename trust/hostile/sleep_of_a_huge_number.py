# kata: retry-with-jitter
# family: tasks and sleeps
# must: fail

import leasehold
import random


class Acquirer:
    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self.service = service
        self.clock = clock

    async def acquire(self, name, ttl, wait_s=0):
        await self.clock.sleep(10 ** 400)
        return await self.service.acquire(name, ttl)
