class Acquirer:
    """Waits for locks: no longer than it is told, and not in step with others.

    One Acquirer serves all tasks of its process, many at once. Each call of
    acquire() is on its own, also beside others for the same name.

    `service`: `await service.acquire(name, ttl)` tries once. It returns a
    Grant (with `name`, `ownership_token`, `fencing_token`, `ttl`), or None
    while somebody holds the lock. A ttl is counted by the service from when
    it got the request. When no answer came within 1 second, TransportError is
    raised (`from leasehold import TransportError`); then nobody knows whether
    the lock was granted. If it was, the service holds it for nobody until the
    ttl has passed, and refuses you like everybody else.
    `await service.release(name, ownership_token)` gives a grant back; it can
    raise TransportError, too.

    `clock`: `clock()` is the process's monotonic clock in seconds, a float.
    `await clock.sleep(seconds)` lets time pass.

    `base_s` and `cap_s`: seconds, greater than 0, for the pauses.
    """

    def __init__(self, service, clock, base_s=0.25, cap_s=2.0):
        self._service = service
        self._clock = clock
        self._base_s = base_s
        self._cap_s = cap_s

    async def acquire(self, name, ttl, wait_s=0):
        """The Grant, or None if it did not get the lock within `wait_s` seconds.

        `wait_s` is a budget: the deadline is `clock()` at the call plus
        `wait_s`. 0 means one try. If it is not a finite number from 0 on (NaN,
        infinite, negative, None), raise ValueError and ask nobody. (For None
        a TypeError will do, too.)

        Tries:
        - The first one comes at once. Then one at a time.
        - A refusal and a TransportError are both failed tries. Neither ends
          the wait before the deadline, and TransportError is never raised.
        - After each failed try, sleep: after the nth one of this call, counted
          from 0, for `uniform(0, min(cap_s, base_s * 2**n))`, drawn anew each
          time by each waiter for itself. Waits can be long: n can go beyond
          a thousand. (Whether n counts only refusals, or also tries that raised
          and grants that were not good, is up to you.)
        - If that sleep would go past the deadline, sleep until the deadline
          instead and try once more, at it. No try begins after the deadline.
          So None is returned when a try that began at the deadline has
          failed, or one that was under way when the deadline passed. (If the
          process was paused in a sleep until after the deadline, one more try
          is as good as none.)

        Grants:
        - A grant is good if, when its answer is here, `clock()` is less than
          what it was just before that try was sent, plus `ttl`. Return it at
          once, also if the deadline has passed meanwhile.
        - One that is not good was too slow or you were paused, and it may be
          over. Don't return it: the try has failed. (Whether you release it
          before you go on or end, or let it run out, is up to you.)

        When acquire() has ended, nothing of it goes on: no task that tries or
        gives back is left. If its task is cancelled, let `Cancelled` pass; only
        a task that gives back what was under way may be left then. Every other
        exception of the service is for the caller: let it pass at once.
        """
        # This is the loop that everybody writes first. It works on a good day.
        deadline = self._clock() + wait_s
        while True:
            grant = await self._service.acquire(name, ttl)
            if grant is not None or self._clock() >= deadline:
                return grant
            await self._clock.sleep(self._base_s)
