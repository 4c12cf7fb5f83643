# Tokens are words from one random.Random that the module makes when it is loaded; each lock is an object with a history.
import random
from dataclasses import dataclass, field
from typing import List, Optional

RANDOM = random.Random()
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def words(count):
    return "-".join("".join(RANDOM.choice(SYLLABLES) for _ in range(3)) for _ in range(count))


@dataclass
class Grant:
    ownership_token: str
    fencing_token: int
    expires_at: float
    ended: bool = field(default=False, compare=False)


@dataclass
class Lock:
    grants: List[Grant] = field(default_factory=list)

    def holder(self, now: float) -> Optional[Grant]:
        if not self.grants:
            return None
        last = self.grants[-1]
        last.ended = last.ended or now >= last.expires_at
        return None if last.ended else last


class LockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._granted = 0

    def acquire(self, name, client_id, ttl):
        self._demand(ttl)
        lock = self._locks.setdefault(name, Lock())
        now = self._clock()
        if lock.holder(now):
            return None
        self._granted += 1
        lock.grants.append(Grant(words(6), self._granted, now + ttl))
        return lock.grants[-1]

    def _holder(self, name, token):
        holder = self._locks.get(name, Lock()).holder(self._clock())
        return holder if holder and holder.ownership_token == token else None

    def renew(self, name, ownership_token, ttl):
        self._demand(ttl)
        if (holder := self._holder(name, ownership_token)) is not None:
            holder.expires_at = self._clock() + ttl
        return holder is not None

    def release(self, name, ownership_token):
        if (holder := self._holder(name, ownership_token)) is not None:
            holder.ended = True
        return holder is not None

    def _demand(self, ttl):
        if not 0 < ttl < float("inf"):
            raise ValueError(ttl)
