class LockManager:
    """A lock service that hands out leases, each with a fencing token.

    `clock()` returns the service's time in seconds, as a float. It never
    goes backwards.
    """

    def __init__(self, clock):
        self._clock = clock
        self._locks = {}    # name -> {"client": ..., "expiry": ..., "token": ...}
        self._counter = 0   # the last fencing token that was handed out

    def acquire(self, name, client_id, ttl):
        """Try once to take the lock `name` for `client_id`, for `ttl` seconds.

        If the lock is free, grant it: return a fencing token, an int that
        is greater than every token this manager returned before, whatever
        the name. A lease is over as soon as clock() reaches its expiry.

        If the lock is held, return None and change nothing. That goes for
        the holder too: asking again is refused while the lease runs.
        """
        # Your code goes here.
        return None

    def release(self, name, client_id):
        """Free the lock `name` if `client_id` holds it.

        Return True if it did, False if there was nothing of this client's
        to free; then nothing changes. (Of its own lease that is over already
        a client may be told either.)
        """
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
