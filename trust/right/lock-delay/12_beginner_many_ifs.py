# Written step by step with many comments; a list of lock objects is searched, and the delay is a moment that each object carries.
import math
import secrets


class Grant:
    """What a client gets."""

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class OneLock:
    """All that we know about one lock."""

    def __init__(self, name):
        self.name = name
        # Nobody holds it.
        self.token = None
        self.lease_end = None
        # From this moment on it may be granted. None means: at any time.
        self.free_again = None


class LockService:
    def __init__(self, clock, lock_delay=15):
        # First look at the delay. 0 is fine!
        if math.isnan(lock_delay):
            raise ValueError("lock_delay must not be NaN")
        if math.isinf(lock_delay):
            raise ValueError("lock_delay must not be infinite")
        if lock_delay < 0:
            raise ValueError("lock_delay must not be negative")
        self.clock = clock
        self.lock_delay = lock_delay
        self.all_locks = []
        self.next_fencing_token = 0

    def find(self, name):
        for one in self.all_locks:
            if one.name == name:
                return one
        # It is a new name: make a lock for it.
        one = OneLock(name)
        self.all_locks.append(one)
        return one

    def check_ttl(self, ttl):
        if math.isnan(ttl):
            raise ValueError("ttl must not be NaN")
        if math.isinf(ttl):
            raise ValueError("ttl must not be infinite")
        if ttl <= 0:
            raise ValueError("ttl must be more than 0")

    def acquire(self, name, client_id, ttl):
        self.check_ttl(ttl)
        now = self.clock()
        one = self.find(name)
        # Is there something in the way?
        if one.free_again is not None:
            if now < one.free_again:
                return None
        # No: grant it. The first fencing token is 0.
        fencing_token = self.next_fencing_token
        self.next_fencing_token = self.next_fencing_token + 1
        one.token = secrets.token_hex(16)
        one.lease_end = now + ttl
        one.free_again = one.lease_end + self.lock_delay
        return Grant(one.token, fencing_token, one.lease_end)

    def renew(self, name, ownership_token, ttl):
        self.check_ttl(ttl)
        now = self.clock()
        one = self.find(name)
        if one.token is None:
            return False
        if one.token != ownership_token:
            return False
        if now >= one.lease_end:
            return False
        # The lease is longer (or shorter), and so is the time until the lock is free again.
        one.lease_end = now + ttl
        one.free_again = one.lease_end + self.lock_delay
        return True

    def release(self, name, ownership_token):
        now = self.clock()
        one = self.find(name)
        if one.token is None:
            return False
        if one.token != ownership_token:
            return False
        if now >= one.lease_end:
            # Too late. The delay goes on as it was.
            return False
        # In time. Forget everything.
        one.token = None
        one.lease_end = None
        one.free_again = None
        return True
