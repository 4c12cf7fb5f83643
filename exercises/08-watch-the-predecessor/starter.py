from leasehold import SessionLost, TransportError


class QueueLock:
    """A lock for which its waiters stand in line: whoever stands first holds it.

    `service`: a `leasehold.Coordinator`. Here you need of it
    - `await service.append(queue, session)` takes a place at the end of the
      queue and returns its number. It raises SessionLost if the session is
      over. Each call takes another place.
    - `await service.places(queue)`: all places, the first in line first.
      Each has `number` and `session` (a session's id).
    - `await service.watch(number, ...)`: a Watch that fires once, when the
      first of these places goes, however it goes. If `watch.gone` is true,
      one of them was gone before the watch was set, and for that one it
      does not fire. `await watch.fired(timeout)`: True if it fired, False
      after `timeout` seconds. A watch that has not fired stays with the
      service until `await watch.close()`.
    - `await service.remove(number)`: False if the place is gone already.

    Any of these raises TransportError when no answer came within 1 second;
    then nobody knows whether it was done.

    `clock`: `clock()` is the process's monotonic clock, in seconds.

    `session`: has `id`. The application opened it for this lock alone and
    keeps it alive. When a session is over, its places are gone, and it
    never comes back.

    `name`: the name of the lock. The queue has the same.

    One lock object serves one acquire() at a time. When that has given up,
    or release() has returned, there may be another one.
    """

    def __init__(self, service, clock, session, name):
        self._service = service
        self._clock = clock
        self._session = session
        self._name = name
        self._number = None

    async def acquire(self, wait_s):
        """Stand in line until this session's place is the first one.

        Return the number of that place: it is the fencing token. Only a
        place that `service.places()` showed as the first of the queue, or
        that is the first now, is a lock.

        Return None when `wait_s` seconds were not enough: not before they
        are over (a tenth of a second early is no matter), and then without
        waiting for more than the calls that are needed to clean up. 0 means:
        take the lock if it is free. Whoever gives up leaves the queue. While
        the removal is not answered, try again, for 30 seconds at least (here,
        or in a task of its own).

        Raise SessionLost when the session is over, as soon as the service
        can tell: also while others still stand before you.

        A TransportError is no reason to end: try again at once, while there
        is budget. Mind that a place may have been taken although the answer
        was lost. What this session has in the queue is yours, and nobody
        else's is: never remove another session's place.

        While there is budget keep your place: whoever leaves and comes back
        stands last.

        Don't poll, and don't wake a herd:
        - be told when a place goes, within half a second, and don't ask;
        - when a place goes, at most one waiter is woken;
        - the message that a watch sends can be lost (when this process was
          cut off, or the service started again). So wait for one at most 10
          seconds, then look at the queue again; but not more often than
          every 5 seconds.

        Have at most three watches with the service at a time. However
        acquire() ends, 2 seconds later none is left.
        """
        # This is the line that everybody draws first. It works on a good day.
        self._number = await self._service.append(self._name, self._session)
        places = await self._service.places(self._name)
        before = [place.number for place in places if place.number < self._number]
        if before:
            watch = await self._service.watch(before[-1])
            if not await watch.fired(wait_s):
                return None
        return self._number

    async def release(self):
        """Give the lock back: take this session's place out of the queue.

        When it returns, the place is gone: the next acquire() may follow at
        once. Do nothing if there is none. While no answer comes, try again,
        for 30 seconds at least; only then return without knowing. Nothing is
        raised: if the session is over, the place is gone, and that is well
        too.
        """
        if self._number is not None:
            await self._service.remove(self._number)
