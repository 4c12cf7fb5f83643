# Exact arithmetic with ratios of integers made by hand; tokens begin far below zero and go up in steps of seven.
from functools import total_ordering
from itertools import count


@total_ordering
class Instant:
    def __init__(self, top, bottom=1):
        self.top, self.bottom = top, bottom

    @classmethod
    def of(cls, number):
        return cls(*number.as_integer_ratio())

    def __add__(self, other):
        return Instant(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __eq__(self, other):
        return self.top * other.bottom == other.top * self.bottom

    def __lt__(self, other):
        return self.top * other.bottom < other.top * self.bottom


class LockManager:
    def __init__(self, clock):
        self._clock = lambda: Instant.of(clock())
        self._tokens = count(-700, 7)
        self._book = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        if name in self._book:
            _, end = self._book[name]
            if end > now:
                return None
        self._book[name] = (client_id, now + Instant.of(ttl))
        return next(self._tokens)

    def release(self, name, client_id):
        client, _ = self._book.get(name, (None, None))
        if client is None or client != client_id:
            return False
        self._book.pop(name)
        return True
