# Written step by step with a comment on each, with plain flags and lists.
import leasehold


class QueueLock:
    def __init__(self, service, clock, session, name):
        self.service = service
        self.clock = clock
        self.session = session
        self.name = name
        # The number of the place that is the lock, while we have it.
        self.number = None

    async def acquire(self, wait_s):
        # When our time is over.
        deadline = self.clock() + wait_s
        # Have we tried at least once? With wait_s == 0 we try once, too.
        tried = False

        while not tried or self.clock() < deadline:
            tried = True

            # Step 1: look at the queue.
            try:
                places = await self.service.places(self.name)
            except leasehold.TransportError:
                continue

            # Step 2: find our own places. More than one if an answer was lost.
            own = []
            for place in places:
                if place.session == self.session.id:
                    own.append(place.number)

            # Step 3: none? Then take one. (If the session is over, this raises SessionLost.)
            if len(own) == 0:
                try:
                    number = await self.service.append(self.name, self.session)
                    places = await self.service.places(self.name)
                except leasehold.TransportError:
                    # Perhaps we have it, perhaps not. Look.
                    continue
                for place in places:
                    if place.session == self.session.id:
                        own.append(place.number)
                if len(own) == 0:
                    # It was there and it is gone. The session must be over. The next append() will tell.
                    print("place", number, "is gone again")
                    tried = False
                    continue

            # Step 4: are we first?
            if places[0].number == own[0]:
                self.number = own[0]
                return self.number

            # Step 5: who is before us?
            predecessor = None
            for place in places:
                if place.number < own[0]:
                    predecessor = place.number

            # Step 6: is there time to wait?
            if self.clock() >= deadline:
                break

            # Step 7: ask to be told when the predecessor goes, or our own place.
            try:
                watch = await self.service.watch(predecessor, own[0])
            except leasehold.TransportError:
                continue

            # Step 8: wait. Not for more than 10 seconds, not for longer than we may.
            has_fired = False
            if not watch.gone:
                seconds = min(10, deadline - self.clock())
                if seconds > 0:
                    has_fired = await watch.fired(seconds)

            # Step 9: a watch that has not fired is still there. Away with it.
            if not has_fired:
                leasehold.spawn(self.close_watch(watch))

        # The time is over. Leave the queue.
        await self.leave_queue()
        return None

    async def close_watch(self, watch):
        # Again and again, until somebody answers. After an hour nobody will.
        for i in range(3600):
            try:
                await watch.close()
                return
            except leasehold.TransportError:
                pass

    async def leave_queue(self):
        # We try for 30 seconds and a bit.
        give_up = self.clock() + 32
        while self.clock() < give_up:
            try:
                places = await self.service.places(self.name)
                for place in places:
                    # Only ours!
                    if place.session == self.session.id:
                        await self.service.remove(place.number)
                # All answered.
                return
            except leasehold.TransportError:
                # Once more.
                pass

    async def release(self):
        # Nothing to give back?
        if self.number is None:
            return
        await self.leave_queue()
        self.number = None
