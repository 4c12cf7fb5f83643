# Inheritance: an abstract lock table, a mint mixin with one counter for all managers, and a class that joins them.
from abc import ABC, abstractmethod
import itertools
import math


class Mint:
    _counter = itertools.count(1000)   # one for all managers of the process

    def mint(self):
        return next(Mint._counter)


class LeaseTable(ABC):
    NOBODY = object()

    def __init__(self):
        self._table = {}

    @abstractmethod
    def time(self):
        ...

    def holder(self, name):
        who, end = self._table.get(name, (self.NOBODY, -math.inf))
        return who if self.time() < end else self.NOBODY

    def put(self, name, who, ttl):
        self._table[name] = who, self.time() + ttl

    def drop(self, name):
        self._table.pop(name, None)


class LockManager(Mint, LeaseTable):
    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    def time(self):
        return self._clock()

    def acquire(self, name, client_id, ttl):
        if self.holder(name) is not self.NOBODY:
            return None
        self.put(name, client_id, ttl)
        return self.mint()

    def release(self, name, client_id):
        holder = self.holder(name)
        mine = holder is not self.NOBODY and holder == client_id
        if mine:
            self.drop(name)
        return mine
