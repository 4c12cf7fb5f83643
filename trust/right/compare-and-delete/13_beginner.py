# Written out at length, with a comment for each line and no helper at all.
import math
import random


# This class is what the client gets
class Grant:

    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class LockService:

    def __init__(self, clock):
        self._clock = clock
        # name -> dict with "token" and "expiry"
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        # first check the ttl
        if math.isnan(ttl):
            raise ValueError("ttl is not a number")
        if math.isinf(ttl):
            raise ValueError("ttl is infinite")
        if ttl <= 0:
            raise ValueError("ttl is too small")
        # then check if the lock is held
        now = self._clock()
        if name in self._locks:
            if self._locks[name]["expiry"] > now:
                return None
        # make a token out of 40 random letters
        ownership_token = ""
        for i in range(40):
            ownership_token = ownership_token + random.choice("abcdefghijklmnopqrstuvwxyz")
        # next fencing token
        self._counter = self._counter + 1
        # remember it
        self._locks[name] = {"token": ownership_token, "expiry": now + ttl}
        # and give it to the client
        return Grant(ownership_token, self._counter, now + ttl)

    def renew(self, name, ownership_token, ttl):
        # first check the ttl
        if math.isnan(ttl):
            raise ValueError("ttl is not a number")
        if math.isinf(ttl):
            raise ValueError("ttl is infinite")
        if ttl <= 0:
            raise ValueError("ttl is too small")
        # nobody ever had it
        if name not in self._locks:
            return False
        # too late
        if self._locks[name]["expiry"] <= self._clock():
            return False
        # not yours
        if self._locks[name]["token"] != ownership_token:
            return False
        # set, not add!
        self._locks[name]["expiry"] = self._clock() + ttl
        return True

    def release(self, name, ownership_token):
        # nobody ever had it
        if name not in self._locks:
            return False
        # too late
        if self._locks[name]["expiry"] <= self._clock():
            return False
        # not yours
        if self._locks[name]["token"] != ownership_token:
            return False
        # throw it away
        del self._locks[name]
        return True
