# Written step by step with a comment on each, one dict for all that changes, and a new alarm task for each new deadline.
import random
import leasehold


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        # Keep everything that we were given.
        self.service = service
        self.clock = clock
        self.grant = grant
        self.on_lost = on_lost
        # Everything that changes is in here.
        self.data = {
            "released": False,  # stop() was called
            "lost": False,  # on_lost() was called
            "deadline": asked_at + grant.ttl,  # until then the lease runs for sure
        }

    async def run(self):
        # stop() may have been called before we began.
        if self.data["released"]:
            return
        # An alarm for the first deadline. It rings also while we wait for an answer.
        alarm = leasehold.spawn(self.alarm(self.data["deadline"]))
        while not self.data["released"] and not self.data["lost"]:
            # A third of the ttl ...
            pause = self.grant.ttl / 3
            # ... and a bit of chance: between 0.9 and 1.1 times that.
            pause = pause * (0.9 + 0.2 * random.random())
            await self.clock.sleep(pause)
            # We slept. Anything may have happened.
            if self.data["released"] or self.data["lost"]:
                break
            # The time before the request is the one that counts.
            before = self.clock()
            if before >= self.data["deadline"]:
                # We slept too long: do not ask any more.
                self.it_is_lost()
                break
            try:
                answer = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            except leasehold.TransportError:
                # We know nothing. The deadline stays. Try again.
                answer = None
            # We waited. Anything may have happened, again.
            if self.data["released"] or self.data["lost"]:
                break
            if self.clock() >= self.data["deadline"]:
                # The answer was too slow, whatever it says.
                self.it_is_lost()
            elif answer is False:
                # Somebody else may have the lock.
                self.it_is_lost()
            elif answer is True:
                # Good news: a new deadline, a new alarm, and the old one is off.
                self.data["deadline"] = before + self.grant.ttl
                alarm.cancel()
                alarm = leasehold.spawn(self.alarm(self.data["deadline"]))
        # Nobody needs the alarm any more.
        alarm.cancel()

    async def alarm(self, moment):
        # A little more than what is left, so that we are not a hair too early.
        await self.clock.sleep(max(0, moment - self.clock()) + 0.000001)
        # It was not cancelled, so the deadline is still the same.
        if self.data["deadline"] == moment:
            self.it_is_lost()

    def it_is_lost(self):
        # Not after stop(), and not twice.
        if self.data["released"] or self.data["lost"]:
            return
        # First the flag, then the call.
        self.data["lost"] = True
        self.on_lost()

    def stop(self):
        if not self.data["lost"]:
            self.data["released"] = True

    def is_held(self):
        if self.data["released"]:
            return False
        if self.data["lost"]:
            return False
        return self.clock() < self.data["deadline"]
