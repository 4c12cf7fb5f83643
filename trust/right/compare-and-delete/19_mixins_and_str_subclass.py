# A lease table, a mint and a ttl policy are base classes; the ownership token is a str that hides itself in repr.
import math
import secrets


class OwnershipToken(str):
    __slots__ = ()

    def __repr__(self):
        return "<ownership token>"


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class Ttls:
    def until(self, ttl):
        if math.isfinite(ttl) and ttl > 0:
            return self.now() + ttl
        raise ValueError(f"ttl {ttl!r}: a positive number of seconds is needed")


class Mint:
    def __init__(self):
        self.__last = 41

    def mint(self):
        self.__last += 1
        return OwnershipToken(secrets.token_urlsafe(18)), self.__last


class Table(dict):
    def current(self, name, now):
        token, end = self.get(name, (None, None))
        return None if token is None or now >= end else token


class LockService(Ttls, Mint):
    def __init__(self, clock):
        Mint.__init__(self)
        self.now = clock
        self.table = Table()

    def owns(self, name, shown):
        token = self.table.current(name, self.now())
        return token is not None and secrets.compare_digest(token.encode(), shown.encode("utf-8", "surrogatepass"))

    def acquire(self, name, client_id, ttl):
        end = self.until(ttl)
        if self.table.current(name, self.now()) is not None:
            return None
        token, fence = self.mint()
        self.table[name] = token, end
        return Grant(token, fence, end)

    def renew(self, name, ownership_token, ttl):
        end = self.until(ttl)
        mine = self.owns(name, ownership_token)
        if mine:
            self.table[name] = self.table[name][0], end
        return mine

    def release(self, name, ownership_token):
        mine = self.owns(name, ownership_token)
        if mine:
            self.table.pop(name)
        return mine
