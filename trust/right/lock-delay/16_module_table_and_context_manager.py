# A table of pure decisions, a context manager that commits a change only if nothing was raised, and one row of fencing tokens for all services of the program.
import contextlib
import itertools
import math
import secrets
from collections import namedtuple

Grant = namedtuple("Grant", ["ownership_token", "fencing_token", "expires_at"])
Record = namedtuple("Record", ["token", "lease_over", "free_again"])
NEVER_HELD = Record(None, -math.inf, -math.inf)
NUMBERS = itertools.count(100, 10)

RULES = {
    "acquire": lambda record, now, token: now >= record.free_again,
    "renew": lambda record, now, token: now < record.lease_over and record.token == token,
    "release": lambda record, now, token: now < record.lease_over and record.token == token,
}


class LockService:
    def __init__(self, clock, lock_delay=15):
        if isinstance(lock_delay, complex) or not 0 <= lock_delay <= 1e300:
            raise ValueError("lock_delay is a finite number of seconds, 0 or more")
        self._clock = clock
        self._delay = lock_delay
        self._records = {}

    @contextlib.contextmanager
    def _change(self, verb, name, token=None):
        draft = [self._records.get(name, NEVER_HELD)]
        now = self._clock()
        allowed = RULES[verb](draft[0], now, token)
        yield now, allowed, draft
        if allowed:
            self._records[name] = draft[0]

    def _record(self, token, now, ttl):
        if not 0 < ttl < math.inf:
            raise ValueError("ttl")
        return Record(token, now + ttl, now + ttl + self._delay)

    def acquire(self, name, client_id, ttl):
        with self._change("acquire", name) as (now, allowed, draft):
            draft[0] = self._record(secrets.token_hex(16), now, ttl)
        return Grant(draft[0].token, next(NUMBERS), draft[0].lease_over) if allowed else None

    def renew(self, name, ownership_token, ttl):
        with self._change("renew", name, ownership_token) as (now, allowed, draft):
            draft[0] = self._record(ownership_token, now, ttl)
        return allowed

    def release(self, name, ownership_token):
        with self._change("release", name, ownership_token) as (_, allowed, draft):
            draft[0] = NEVER_HELD
        return allowed
