from leasehold import TransportError


class NotAcquired(Exception):
    """Raised by `async with` when the lock could not be had."""


class LockHandle:
    """One attempt to hold one lock, from the first request to the end.

    `state` is "acquiring", "held", "lost" or "released". It changes in five
    ways and in no other:

        acquiring -> held        granted
        acquiring -> released    refused, or given up, or it went wrong
        held -> held             renewed
        held -> lost             a renewal was rejected, or the deadline has passed
        held -> released         release()

    Lost and released are for good. A handle in one of them is *over*.

    The deadline is `ttl` seconds after what `clock()` said just before the
    request was sent, and that of the last request that succeeded counts: the
    acquire, or a renewal. It never moves back. From that instant on the lease
    is not sure to run any more.

    `service`: its `acquire(name, ttl)`, `renew(name, ownership_token, ttl)`
    and `release(name, ownership_token)` are awaited (`LockService` of
    `leasehold`). Each of them may raise TransportError: no answer came within
    1 second, and nobody knows whether it was done.

    (When the caller's task is cancelled, the await raises Cancelled. It comes
    from `leasehold` as well, and is no Exception but a BaseException.)

    `clock`: `clock()` is the process's monotonic clock in seconds, a float.

    `on_lost`: a function without arguments, or None. It is called when the
    handle becomes lost: once, with `state` "lost" already, and before the
    renew() or release() that found out returns. It is not called for a handle
    that was released. (What becomes of an error that it raises is up to you.)

    `fencing_token`: None at first; that of the grant once the lock is held.
    It stays when the handle is over: a write that comes too late has to show it.

    Nothing needs to run in the background: the application calls renew().
    Several tasks may call the methods of one handle at the same time, so
    whatever was true before an `await` may be untrue after it.
    """

    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        self._grant = None
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        """Ask the service once. True if the lock is held now.

        - Granted: held, True.
        - Refused (the service answers None): released, False.
        - The call ends with an exception, whichever (TransportError,
          Cancelled, …): released, and the exception goes on to the caller. A
          grant may exist of which nobody knows; it runs out by itself.
        - Granted, but the deadline has passed before the answer was there:
          released, False. It was never held, so on_lost is not called.
          (Giving the grant back is up to you.)
        - Granted, but release() was called in the meantime: give the grant
          back by calling `service.release`, so that it stands in nobody's
          way. Released, False, even if giving back fails. (Whether you try
          again after a TransportError is up to you, and if its deadline has
          passed as well, whether you give it back at all.)

        A handle is used once. On a second call, at whatever time, raise
        RuntimeError, ask nobody and change nothing. Likewise after a
        release() that came before the first call.
        """
        # This is what everybody writes first. What else can come back? What happened meanwhile?
        self._grant = await self._service.acquire(self._name, self._ttl)
        if self._grant is None:
            self.state = "released"
            return False
        self.fencing_token = self._grant.fencing_token
        self.state = "held"
        return True

    async def renew(self):
        """Let the lease run for another `ttl`. True if it was renewed and the lock is still held.

        - Not held (acquiring, lost or released): False at once. The service
          is not asked.
        - The deadline has passed: lost, False. The service is not asked.
        - Otherwise ask the service. Afterwards, if the handle is still held:
          - the deadline has passed while the answer was under way: lost,
            whatever the answer is. (Return False or let an error go on. After
            Cancelled you may leave it to the next call to find the loss.)
          - True: the deadline moves. True.
          - False: lost, False.
          - an error (TransportError, or Cancelled): nobody knows. Held as
            before, with the deadline as it was, and the error goes on to the
            caller.
          If the handle was over meanwhile, nothing changes. (Return False or
          let an error go on.)
        """
        # Here, too.
        if self.state != "held":
            return False
        return await self._service.renew(self._name, self._grant.ownership_token, self._ttl)

    async def release(self):
        """The work is done. True if the service says that it freed the lock.

        - Held: the handle is released from this call on, before the service
          is asked, and whatever comes of it. Ask once: True if it freed the
          lock, False if not; an error goes on to the caller, and the lease
          runs out by itself.
        - Held, but the deadline has passed: lost, as in renew(). Whether you
          still ask the service to free the lock is up to you.
        - Acquiring: released, False. The service is not asked here; for a
          request that is under way see acquire().
        - Over: False. Nothing changes and the service is not asked, also when
          another task's release() is still under way. (Then you may wait for
          that one and end as it does.)
        """
        if self.state != "held":
            return False
        freed = await self._service.release(self._name, self._grant.ownership_token)
        self.state = "released"
        return freed

    def is_held(self):
        """Whether, as far as this process can know, the lease still runs.

        True if the state is held and clock() is before the deadline; at the
        deadline it is false. It only looks, as reading `state` does: it
        changes nothing and does not call on_lost. So after the deadline
        `state` may be "held" or "lost" until renew() or release() is called.
        """
        return self.state == "held"

    async def __aenter__(self):
        """acquire(), and return this handle. If that gave False, raise NotAcquired; the block is not run."""
        await self.acquire()
        return self

    async def __aexit__(self, kind, exception, traceback):
        """release(). Whatever goes wrong with the call is not raised from here.

        If the block ended with an exception, that very exception goes on to
        the caller. If it ended well, nothing is raised: the work is done, and
        the lease of a release that failed runs out by itself.
        """
        await self.release()
