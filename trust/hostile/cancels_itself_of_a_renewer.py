# kata: renewal-daemon
# family: tasks and sleeps
# must: fail

import leasehold


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self.service, self.clock, self.grant, self.on_lost = service, clock, grant, on_lost

    def is_held(self):
        return True

    def stop(self):
        pass

    async def run(self):
        leasehold.current_task().cancel()
        await self.clock.sleep(1)
