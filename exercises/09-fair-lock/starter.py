from leasehold import TransportError


class NotHeld(Exception):
    """Raised by release(): the lock is not this owner's, or not any more."""


class Turn:
    """What acquire() gives: `ticket`, an int, and `until`, the moment on the clock at which the turn is over."""

    def __init__(self, ticket, until):
        self.ticket = ticket
        self.until = until


class FairLock:
    """A lock for many processes that serves them in the order in which they came.

    Each FairLock object is one *owner*. Others, in this process and in other
    ones, have a FairLock of their own with the same name. The methods of one
    object are called one at a time. A process that starts again after a
    crash has new objects, which are new owners: what it had is not theirs.

    `cache`: a Cache, where all that the owners share is kept.
    `[entry] = await cache.read(key)` gives `entry.value` (None if there is
    none) and `entry.version` (then 0). `await cache.commit({key: version},
    {key: value})` writes only if the key still has that version; True if it
    did, False if it changed nothing. Both take several keys at once. Values
    are None, bool, int, float, str, and lists and dicts (str keys) of them.
    If no answer came within 1 second, a call raises TransportError, and
    nobody knows whether the commit was done. The cache may restart: it keeps
    its keys and forgets its watches.

    `clock`: `clock()` gives seconds on the monotonic clock, a float.
    `await clock.sleep(seconds)` lets time pass. All owners work on one
    machine and read the same monotonic clock, so you may write a reading
    into the record. (Measuring only by what an owner has seen itself is fine
    as well.)

    `name`: locks with other names have nothing to do with this one.

    `turn_s`: how long a turn lasts at most, in seconds. Until a turn is given
    back or over, nobody else gets one. At its very end it is over. If it is
    not given back by then (its owner may be dead), or if nobody takes the
    turn that has come (the waiter may be dead), then whoever waits passes it
    over when it has lasted `turn_s`. Newcomers don't lengthen it. Whoever
    comes late may count from when it came.
    """

    def __init__(self, cache, clock, name, turn_s):
        self._cache = cache
        self._clock = clock
        self._name = name
        self._turn_s = turn_s

    async def acquire(self, wait_s):
        """Wait for this owner's turn for `wait_s` seconds at most: a Turn, or None.

        *Order.* Take a ticket at once. Owners get their turns in the order of
        their tickets, and none is left out that lives. When the turn before
        is given back, the next owner has its Turn within a second: look at
        the record at least every half second, or watch it too, but don't send
        more than 20 requests a second for long. A lock that is free, and that nobody
        waits for, is given at once, also if `wait_s` is 0.

        *The Turn.* `ticket` is an int, greater than that of every Turn
        before, for ever. `until` is at most `turn_s` after a moment at which
        you had not yet sent the request that made the turn yours. (A turn may
        also begin when it comes, before you hear of it.) If nothing was slow
        or lost, it leaves `turn_s`, less a second at most. A turn that is over
        on the clock is never given: then go on for a new one.

        *Waiting.* After `wait_s` give None: half a second earlier or later at
        most; 4 seconds later if answers are lost. The ticket is given up for
        good: take it away, or leave it to be passed over. An owner that finds
        out that it was passed over (its process was paused) takes a new
        ticket, as long as `wait_s` lasts.

        *Inside.* While this owner's turn runs, give the same ticket with the
        same `until`, at once and without a new ticket. Each acquire() then
        needs a release() of its own. Once the turn is over, this is an
        acquire() like any other: a new ticket, and one release().

        No TransportError passes. After a lost answer look again within half a
        second; don't take a second ticket if you have one.
        """
        # A first prototype. It works as long as everybody lives, nothing is lost, and no two come at once.
        [entry] = await self._cache.read(self._name)
        record = entry.value or {"next": 1, "serving": 1}
        ticket = record["next"]
        record["next"] += 1
        await self._cache.commit({}, {self._name: record})
        while record["serving"] != ticket:
            await self._clock.sleep(0.25)
            [entry] = await self._cache.read(self._name)
            record = entry.value
        return Turn(ticket, self._clock() + self._turn_s)

    async def release(self):
        """Give back what one acquire() gave. The last one ends the turn, and the next ticket is served.

        Raise NotHeld, and change nothing, if this owner holds nothing: it
        never had a turn, has given it back, or another owner has been given a
        Turn since. Do so each time, inside as well. If the turn is over and
        nobody has been given one since, end it or raise NotHeld, as you like.

        Before its end nobody can take a turn away. If the record has changed
        or an answer is lost, go on until the turn is known to be given back;
        if it is over meanwhile, return or raise NotHeld. No TransportError
        passes.
        """
        [entry] = await self._cache.read(self._name)
        record = entry.value
        record["serving"] += 1
        await self._cache.commit({}, {self._name: record})
