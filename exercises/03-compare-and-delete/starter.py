class Grant:
    """What a client gets when it is granted a lock."""

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token  # str: shows that this grant is yours
        self.fencing_token = fencing_token      # int: goes to the storage with each write
        self.expires_at = expires_at            # clock()'s time at which the lease, as granted, is over


class LockService:
    """A lock service that hands out leases.

    `clock()` returns the service's time in seconds, as a float, and never
    goes backwards. It is the only clock: `time.time()` may step.

    A lease is over as soon as clock() reaches its expiry. A grant ends when
    its lease is over or it is released; once ended, it stays ended.

    A ttl is a number of seconds. If it is 0, negative, NaN or infinite,
    acquire and renew raise ValueError and change nothing. (Where they would
    answer None or False anyway, they may do that instead.)
    """

    def __init__(self, clock):
        self._clock = clock
        self._locks = {}    # name -> {"grant": Grant, "expiry": ...}
        self._counter = 0   # the last fencing token that was handed out

    def acquire(self, name, client_id, ttl):
        """Try once to take the lock `name` for `client_id`, for `ttl` seconds.

        If the lock is free, grant it: return a Grant with
        - ownership_token, a str drawn at random, another one for each grant,
          whoever asks and for whatever lock,
        - fencing_token, an int greater than that of every grant before,
          whatever the name,
        - expires_at, the time at which this lease is over.

        If it is held, by `client_id` itself or another client, return None
        and change nothing.
        """
        # From the first kata, and not done yet: the ttl, the ownership token.
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        grant = Grant("", self._counter, now + ttl)
        self._locks[name] = {"grant": grant, "expiry": now + ttl}
        return grant

    def renew(self, name, ownership_token, ttl):
        """Make the running lease on `name` end `ttl` seconds from now.

        Only if `ownership_token` (an equal str, not the same object) is
        that of the grant that holds the lock at this moment: then return
        True. The new end may be later or sooner than the old one. The grant
        keeps both tokens; whether its expires_at changes is up to you.

        Otherwise return False and change nothing. That goes for a grant
        that has ended, by whatever way, and for a token of another lock.
        """
        # Your code goes here.
        return False

    def release(self, name, ownership_token):
        """Free the lock `name`.

        Only if `ownership_token` is that of the grant that holds it at this
        moment: then return True.

        Otherwise return False and change nothing, as in renew.
        """
        # And here.
        return False
