# Inside, everything that is refused raises; a decorator turns the exceptions into the answers None and False.
import functools
import math
import secrets


class Refused(Exception):
    pass


def answers(nothing):
    def wrap(method):
        @functools.wraps(method)
        def wrapped(self, *args, **kwargs):
            try:
                return method(self, *args, **kwargs)
            except Refused:
                return nothing
        return wrapped
    return wrap


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at

    def __repr__(self):
        return f"<Grant {self.fencing_token} until {self.expires_at}>"


class Lock:
    """One name: it remembers its last lease, and whether that was given back."""

    def __init__(self):
        self.grant = None
        self.expiry = -math.inf
        self.given_back = True

    def must_be_free(self, now, delay):
        if not self.given_back and now < self.expiry + delay:
            raise Refused

    def must_be_held(self, now, token):
        if self.given_back or now >= self.expiry or self.grant.ownership_token != token:
            raise Refused


class LockService:
    def __init__(self, clock, lock_delay=15):
        if math.isnan(lock_delay):
            raise ValueError("lock_delay is NaN")
        if lock_delay < 0:
            raise ValueError("lock_delay is negative")
        if lock_delay == math.inf:
            raise ValueError("lock_delay is infinite")
        self._clock = clock
        self._lock_delay = lock_delay
        self._locks = {}
        self._handed_out = 0

    @answers(None)
    def acquire(self, name, client_id, ttl):
        now = self._clock()
        end = now + length(ttl)
        lock = self._locks.setdefault(name, Lock())
        lock.must_be_free(now, self._lock_delay)
        self._handed_out += 1
        lock.grant = Grant(secrets.token_hex(16), self._handed_out, end)
        lock.expiry = end
        lock.given_back = False
        return lock.grant

    @answers(False)
    def renew(self, name, ownership_token, ttl):
        now = self._clock()
        lock = self._locks.setdefault(name, Lock())
        lock.must_be_held(now, ownership_token)
        lock.expiry = now + length(ttl)
        lock.grant.expires_at = lock.expiry      # this one follows its lease
        return True

    @answers(False)
    def release(self, name, ownership_token):
        lock = self._locks.setdefault(name, Lock())
        lock.must_be_held(self._clock(), ownership_token)
        lock.given_back = True
        return True


def length(ttl):
    if not (ttl > 0 and math.isfinite(ttl)):
        raise ValueError(f"not a length: {ttl}")
    return ttl
