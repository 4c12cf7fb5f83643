# Written step by step with a comment on each; a record for each name says who holds it and who asks.
import leasehold


class Handle:
    def __init__(self, registry, grant, owner, on_lost):
        self.registry = registry
        self.grant = grant
        self.owner = owner
        self.on_lost = on_lost
        self.fencing_token = grant.fencing_token
        # "held", then "released" or "lost"
        self.state = "held"

    def is_held(self):
        return self.state == "held"

    async def release(self, owner):
        # First look who asks, then change something.
        if owner != self.owner:
            raise RuntimeError(str(owner) + " is not the owner, that is " + str(self.owner))
        # A second release does nothing. Nor does one after a loss.
        if self.state != "held":
            return
        self.state = "released"
        # Was it the last one?
        record = self.registry.records[self.grant.name]
        record["handles"].remove(self)
        if len(record["handles"]) > 0:
            return
        # It was. Change the book before the call, not after it.
        record["grant"] = None
        record["owner"] = None
        try:
            await self.registry.service.release(self.grant.name, self.grant.ownership_token)
        except leasehold.TransportError:
            # The lock is free when its ttl has passed. There is nothing to do.
            pass


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.records = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        # A record for each name that was ever asked for.
        if name not in self.records:
            self.records[name] = {
                "grant": None,  # the grant that is held
                "owner": None,  # who holds it
                "handles": [],  # its handles that are held
                "asking": None,  # who has a call under way
                "ended": None,  # set when that call has ended
            }
        record = self.records[name]

        # Look, wait, look again.
        while True:
            if record["grant"] is not None:
                # Somebody holds it.
                if record["owner"] != owner:
                    return None
                handle = Handle(self, record["grant"], owner, on_lost)
                record["handles"].append(handle)
                return handle
            if record["ended"] is None:
                # Nobody holds it, nobody asks: it is our turn to ask.
                break
            if record["asking"] != owner:
                # Somebody else is faster.
                return None
            # We ourselves are asking, in another task.
            await record["ended"].wait()

        # Tell the others that we ask.
        ended = leasehold.Signal()
        record["asking"] = owner
        record["ended"] = ended
        try:
            grant = await self.service.acquire(name, ttl)
        finally:
            # Also when it raised or we were cancelled.
            record["asking"] = None
            record["ended"] = None
            ended.set()
        if grant is None:
            return None
        record["grant"] = grant
        record["owner"] = owner
        handle = Handle(self, grant, owner, on_lost)
        record["handles"] = [handle]
        return handle

    def lost(self, name, fencing_token):
        if name not in self.records:
            return
        record = self.records[name]
        if record["grant"] is None:
            return
        if record["grant"].fencing_token != fencing_token:
            # An older one.
            return
        # Take them all out of the book.
        handles = record["handles"]
        record["handles"] = []
        record["grant"] = None
        record["owner"] = None
        # First mark all ...
        for handle in handles:
            handle.state = "lost"
        # ... then tell all.
        for handle in handles:
            if handle.on_lost is not None:
                try:
                    handle.on_lost()
                except Exception:
                    # The others want to hear, too.
                    pass
