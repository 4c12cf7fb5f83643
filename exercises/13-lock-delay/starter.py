import math
import secrets


class Grant:
    """What a client gets when it is granted a lock."""

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token  # str: shows that this grant is yours
        self.fencing_token = fencing_token      # int: goes to the storage with each write
        self.expires_at = expires_at            # clock()'s time at which the lease, as granted, is over


class LockService:
    """A lock service that hands out leases, as in kata 3, and now with a lock-delay.

    `clock()` returns the service's time in seconds, as a float, and never
    goes backwards. It is the only clock: `time.time()` may step.

    A lease is over as soon as clock() reaches its expiry. A grant ends when
    its lease is over or it is released; once ended, it stays ended.

    A lease that ran out, so that no release came in time, is followed by
    the lock-delay: from its expiry until expiry + lock_delay the lock is
    granted to nobody, its last holder included. At that very instant the
    lock is free. Nothing else begins, prolongs or ends a delay: not a
    release in time (after that the lock is free at once), not an acquire
    that is refused, not a release or a renewal that comes too late. Each
    lock has a delay of its own.

    `lock_delay` is a number of seconds. 0 means no delay. If it is negative,
    NaN or infinite, raise ValueError.

    A ttl is a number of seconds. If it is 0, negative, NaN or infinite,
    acquire and renew raise ValueError and change nothing. (Where they would
    answer None or False anyway, they may do that instead.)
    """

    def __init__(self, clock, lock_delay=15):
        # Your code goes here. The rest is kata 3 as it was.
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
        - expires_at, the time at which this lease is over (without the delay).

        If it is held, by `client_id` itself or another client, or if the
        lock-delay after its last lease is not over, return None and change
        nothing.
        """
        expiry = self._end(ttl)
        if self._running(name) is not None:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, expiry)
        self._locks[name] = {"grant": grant, "expiry": expiry}
        return grant

    def renew(self, name, ownership_token, ttl):
        """Make the running lease on `name` end `ttl` seconds from now.

        Only if `ownership_token` (an equal str, not the same object) is
        that of the grant that holds the lock at this moment: then return
        True. The new end may be later or sooner than the old one. The grant
        keeps both tokens; whether its expires_at changes is up to you.

        Otherwise return False and change nothing.
        """
        expiry = self._end(ttl)
        lock = self._held_by(name, ownership_token)
        if lock is None:
            return False
        lock["expiry"] = expiry
        return True

    def release(self, name, ownership_token):
        """Free the lock `name`, with no delay.

        Only if `ownership_token` is that of the grant that holds it at this
        moment: then return True.

        Otherwise return False and change nothing, as in renew.
        """
        if self._held_by(name, ownership_token) is None:
            return False
        del self._locks[name]
        return True

    def _end(self, ttl):
        """When a lease that begins now is over."""
        if not (ttl > 0 and math.isfinite(ttl)):
            raise ValueError(f"a ttl is a finite number of seconds above 0, not {ttl}")
        return self._clock() + ttl

    def _running(self, name):
        """The record of the lease that holds `name` now, if one does."""
        lock = self._locks.get(name)
        if lock is None or lock["expiry"] <= self._clock():
            return None
        return lock

    def _held_by(self, name, ownership_token):
        """The same, if the token is that of its grant."""
        lock = self._running(name)
        if lock is None or lock["grant"].ownership_token != ownership_token:
            return None
        return lock
