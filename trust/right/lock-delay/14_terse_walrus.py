# As short as it gets: a tuple per name, a lease without delay is popped by the release, copies go out so that no caller can change what is kept.
from math import isfinite
from secrets import token_hex


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        vars(self).update(ownership_token=ownership_token, fencing_token=fencing_token, expires_at=expires_at)


def sane(seconds, least=True):
    if not isfinite(seconds) or seconds < 0 or least and not seconds:
        raise ValueError(seconds)
    return seconds


class LockService:
    def __init__(self, clock, lock_delay=15):
        self.c, self.d, self.l, self.n = clock, sane(lock_delay, False), {}, 0

    def acquire(self, name, client_id, ttl):
        end = self.c() + sane(ttl)
        if (l := self.l.get(name)) and self.c() < l[1] + self.d:
            return None
        self.n += 1
        self.l[name] = (t := token_hex()), end
        return Grant(t, self.n, end)

    def renew(self, name, ownership_token, ttl):
        end = self.c() + sane(ttl)
        if ok := self.mine(name, ownership_token):
            self.l[name] = ownership_token, end
        return ok

    def release(self, name, ownership_token):
        return self.mine(name, ownership_token) and bool(self.l.pop(name))

    def mine(self, name, token):
        return name in self.l and self.l[name][0] == token and self.c() < self.l[name][1]
