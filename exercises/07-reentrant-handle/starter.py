class Handle:
    """One acquire of one owner, nested or not: what LockRegistry.acquire() gives.

    It is held from the start. It ends as released or as lost, for good.
    """

    def __init__(self, registry, grant, owner, on_lost):
        self._registry = registry
        self._grant = grant
        self._owner = owner
        self._on_lost = on_lost
        #: The grant's: the same for all handles of it. It goes with every write.
        self.fencing_token = grant.fencing_token

    def is_held(self):
        """True until release() was called, or the grant is lost."""
        return True

    async def release(self, owner):
        """Give this handle back.

        - If `owner` is not the one who acquired it (compare with ==), raise
          RuntimeError. Nothing else happens, and the handle is held as before.
          (If it is over, released or lost, you may also do nothing.)
        - If it was released or lost before, nothing happens.
        - Otherwise it is released. If others of the same grant are still held,
          that is all; in whatever order they are released, the last one gives
          the grant back to the service, at once: one call of release(). (Make
          it here, or spawn a task for it and wait for that or not, as you like.)

        From the moment at which the last handle is released, the grant is over
        for everybody in this process: not when the call has ended. If the call
        raises TransportError, the handle is released all the same. (The
        service frees the lock when the ttl has passed. Let the exception pass
        or swallow it, as you like.)
        """
        # This is the method that everybody writes first. It works on a good day.
        await self._registry.give_back(self._grant)


class LockRegistry:
    """The locks that this process holds, and for whom.

    The lock service knows nothing of re-entrancy: it refuses everybody while
    a lock is held, its holder too. In here, the owner of a lock may acquire
    it again and again. One registry serves all tasks of its process. Others
    renew the grants, for as long as they like: in here, a grant is held until
    its last handle is released or lost() says that it is over, not for a ttl.

    `service`: `await service.acquire(name, ttl)` tries once and returns a Grant
    (with `name`, `ownership_token`, `fencing_token`), or None while somebody
    holds the lock. `await service.release(name, ownership_token)` gives a grant
    back. When no answer comes, both raise TransportError after a second (`from
    leasehold import TransportError`).
    """

    def __init__(self, service):
        self._service = service
        self._held = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        """A new handle, or None.

        `owner`: a text that says who asks, such as a task's name. Equal texts
        are the same owner. `on_lost`: a function without arguments, or None.

        - If nobody in this process holds `name`: ask the service, once. A Grant
          becomes a handle, None is refused, exceptions pass. After a failure
          nothing is left behind: the next acquire() asks again.
        - If `owner` holds it: a further handle of the same grant, at once. The
          service is not called and the lease not renewed.
        - If another owner holds it: None, at once, without a call.
        - If nobody holds it and a call for `name` is under way from here, don't
          send another one. If it is the same owner's, wait until it has
          ended, and look again: if the owner holds the lock now, this is
          a further handle. If that call failed, this one may end in the same
          way or ask the service itself. (If its task was cancelled, it has
          ended, too: nobody waits for ever. If the task of one that waits is
          cancelled, the call and all others go on.) If it is another owner's,
          return None at once, or wait until it has ended and look again.
        - If the last release of `name` is under way, nobody holds it: ask the
          service for a new grant (or wait for the end of that call first).

        Calls about one name don't wait for calls about another.
        """
        grant = self._held.get(name)
        if grant is None:
            grant = await self._service.acquire(name, ttl)
            if grant is None:
                return None
            self._held[name] = grant
        return Handle(self, grant, owner, on_lost)

    async def give_back(self, grant):
        del self._held[grant.name]
        await self._service.release(grant.name, grant.ownership_token)

    def lost(self, name, fencing_token):
        """Called by whoever renews this grant, when it is over.

        If handles of the grant of `name` with this `fencing_token` are held, all
        of them are lost: first all, then on_lost() of each is called, once,
        before this returns. The service is not called, neither now nor when
        they are released.

        Of a grant that was lost or given back before, or that is not here, it
        does nothing: another one with the same name may be held meanwhile.

        An on_lost may do anything: raise (then all others are called all the
        same; whether its exception passes in the end is up to you), call
        lost() again, or spawn tasks that release its handle or acquire anew.
        """
