import random

from leasehold import TransportError, current_task, spawn

# Waiting: the longest pause after the first try that was in vain, and the longest of all. Seconds.
BASE_S = 0.5
CAP_S = 4.0
# A watch may get lost: after so many seconds without a word a new one is left. Seconds.
WATCH_S = 5.0


class LockHandle:
    """One hold on a lock. It is Held from the start and ends as Released or as Lost, both for good.

    LockClient makes it, so its constructor is yours. Beside the methods below it has

    `name`: the lock's name.
    `fencing_token`: the grant's `fencing_token`. It goes with every write.
    """

    def __init__(self, client, grant, on_lost):
        self.name = grant.name
        self.fencing_token = grant.fencing_token
        self._client = client
        self._grant = grant
        self._on_lost = on_lost
        self._state = "held"

    def is_held(self):
        """Whether, as far as this process can know, the lease still runs.

        False from the deadline on (see LockClient), even if no task has had
        its turn since; false once the handle is lost or released. Until then
        true, except in the last second before the deadline and after two
        attempts in a row that raised TransportError, where either will do.
        """
        return self._state == "held"

    async def release(self):
        """The work is done: this handle is Released, at once, whatever becomes of the call to the service.

        If it was the last held handle of its grant, renewals end and the
        service is told: `await service.release(name, ownership_token)`, a
        second time at most if it raised TransportError, which never comes out
        of here. If another handle of the grant is held, nothing else happens.

        A handle that is released or lost already: does nothing. Another task
        than the one that acquired it: raises RuntimeError, changes nothing.
        """
        self._state = "released"
        await self._client.service.release(self.name, self._grant.ownership_token)

    # `async with handle:` releases at the end. An exception in the body comes out as it is.

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class LockClient:
    """Takes, keeps and gives back locks, for all tasks of a process. A process may have more than one client.

    `service`: a LockService. `await service.acquire(name, ttl)` tries once:
    a Grant (`name`, `ownership_token`, `fencing_token`, `ttl`), or None while
    somebody holds the lock, be it ourselves. `await service.renew(name,
    ownership_token, ttl)`: False if that grant is over. `await
    service.release(name, ownership_token)`. `await service.watch(name)`: see
    on_release. Each raises TransportError when no answer came within 1
    second; then it may have been done or not.

    `clock`: `clock()` is the process's monotonic clock in seconds. `await
    clock.sleep(seconds)` lets time pass.

    **The deadline** of a grant: its ttl after the moment just before the last
    request that succeeded was sent, be it acquire or renew. The service
    counts from later, so until then the lease is sure to run; no longer.

    **Renewal.** As long as a handle of the grant is held, renew it, for
    `grant.ttl`, in the background. Between two renewals let a third of the
    ttl pass, up to a tenth of that more or less, drawn anew each time. One
    failed attempt must be tried again, no later than after the usual pause.
    (More than a dozen attempts in a ttl are too many.)

    **Loss.** The grant is lost, with all its held handles
    - at once when a renewal is rejected;
    - at the latest when the deadline passes, whatever the reason, also while
      the answer to a renewal is still to come. Once the deadline has passed
      no renewal is sent any more;
    - earlier only if two or more attempts in a row raised TransportError, or
      in the last second before the deadline.

    **Telling.** Of a loss each handle that was held is told: its on_lost()
    is called once, when none of the grant's handles is held any more, by a
    task that the client spawned, never by one that calls the client. One
    on_lost() that raises does not keep another from being called; what
    becomes of its exception is open. A handle that was released is not told.
    (Released when it was lost, or at its deadline, and not told yet: either.)
    """

    def __init__(self, service, clock):
        self.service = service
        self.clock = clock

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        """A LockHandle that is held, or None if the lock could not be had in `wait_s` seconds.

        **Waiting.** `wait_s` is a number of seconds from 0 on, on the
        monotonic clock. There is no "for ever": None, NaN, infinity or less
        than 0 raises ValueError, before anything is asked. Try at once. After
        the nth try in vain, n from 0, sleep for
        `random.uniform(0, min(CAP_S, BASE_S * 2**n))` seconds, but never past
        the end of the wait, and try again; at the end of the wait try once
        more (so 0 is one try), or let a try that is under way be the last.
        A TransportError is a try in vain like a refusal.

        **Too late.** A grant whose deadline has passed when its answer comes
        is worth nothing: give it back to the service, and count the try as
        one in vain.

        **Holding it already.** With `reentrant`, a task that holds the lock
        through this client, by whichever kind of acquire, gets another handle
        of the same grant, at once and without a call; `ttl_s` is not looked
        at then. Who else asks is refused by the service like everybody: another
        task of the process, another client, the holder itself without
        `reentrant`. So is nobody because of a grant that is past its
        deadline, lost or released: that gives way to a new one, and handles
        of the old one neither touch nor count for it.

        `on_lost`: a function without arguments, or None. If the task that
        waits is cancelled, nothing may go on for it: no try, no renewal.
        """
        grant = await self.service.acquire(name, ttl_s)
        return None if grant is None else LockHandle(self, grant, on_lost)

    def on_release(self, name, callback):
        """Have `callback()` called once, when the lock is free, at once if it is free now. Returns a function `cancel()`.

        Not async. A task of the client's calls it. `await
        service.watch(name)` leaves a watch with the service. `await
        watch.fired(seconds)`: True if it fired; False when the time is over,
        and nobody knows. Watches and their messages get lost (the service
        restarts): after WATCH_S seconds without a word take the watch back
        (`await watch.close()`) and leave a new one, which fires at once if the
        lock became free meanwhile. After a TransportError try again within
        WATCH_S.

        `cancel()`: from now on `callback` is not called, and the watch is
        taken back at once; one whose request is under way, when its answer
        comes. Called again, or after `callback` was, it does nothing.
        """
        return lambda: None
