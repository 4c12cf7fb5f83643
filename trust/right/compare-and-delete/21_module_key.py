# One secret key and one serial number for the whole module make the tokens; times are kept as the ttl and its beginning.
import hashlib
import itertools
import math
import secrets
from collections import namedtuple

KEY = secrets.token_bytes(32)
SERIAL = itertools.count(1)

Grant = namedtuple("Grant", "ownership_token fencing_token expires_at")


class Refused(ValueError):
    def __init__(self, ttl):
        super().__init__(f"ttl must be above 0 and below infinity, not {ttl}")


def make_token():
    return hashlib.sha256(KEY + next(SERIAL).to_bytes(8, "big")).hexdigest()


class LockService:
    def __init__(self, clock):
        self.clock = clock
        self.begun = {}     # token -> (name, begin, ttl)
        self.fences = itertools.count(100)

    def holding(self, name):
        """The token that holds the name now, or an empty text."""
        for token, (held, begin, ttl) in self.begun.items():
            if held == name and self.clock() - begin < ttl:
                return token
        return ""

    def acquire(self, name, client_id, ttl):
        if self.holding(name):
            return None
        if math.isnan(ttl) or not 0 < ttl < math.inf:
            raise Refused(ttl)
        token, now = make_token(), self.clock()
        self.begun[token] = name, now, ttl
        return Grant(token, next(self.fences), now + ttl)

    def renew(self, name, ownership_token, ttl):
        if not ownership_token or ownership_token != self.holding(name):
            return False
        if math.isnan(ttl) or not 0 < ttl < math.inf:
            raise Refused(ttl)
        self.begun[ownership_token] = name, self.clock(), ttl
        return True

    def release(self, name, ownership_token):
        if not ownership_token or ownership_token != self.holding(name):
            return False
        del self.begun[ownership_token]
        return True
