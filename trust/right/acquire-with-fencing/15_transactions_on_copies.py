# A context manager hands out a deep copy of the state, and puts it in place only if the block ends well.
import copy
import sys
from contextlib import contextmanager, suppress


class Refuse(Exception):
    pass


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._state = {"locks": {}, "token": -sys.maxsize}

    @contextmanager
    def _draft(self):
        draft = copy.deepcopy(self._state)
        yield draft, draft["locks"], self._clock()
        self._state = draft

    def acquire(self, name, client_id, ttl):
        with suppress(Refuse), self._draft() as (draft, locks, now):
            if name in locks and now < locks[name][1]:
                raise Refuse
            locks[name] = [client_id, now + ttl]
            draft["token"] += 1
            return draft["token"]
        return None

    def release(self, name, client_id):
        with suppress(Refuse), self._draft() as (_, locks, now):
            if name not in locks or locks[name][0] != client_id:
                raise Refuse
            locks.pop(name)
            return True
        return False
