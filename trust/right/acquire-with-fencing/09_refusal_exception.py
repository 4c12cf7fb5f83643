# Refusals are exceptions inside, and a decorator turns them into the answers that the callers expect.
from functools import wraps


class _Refused(Exception):
    pass


def refused_is(answer):
    def decorate(method):
        @wraps(method)
        def call(*args, **kwargs):
            try:
                return method(*args, **kwargs)
            except (_Refused, KeyError):
                return answer
        return call
    return decorate


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._token = 0

    def _must_be_free(self, name):
        try:
            _, end = self._locks[name]
        except KeyError:
            return
        if not self._clock() >= end:
            raise _Refused(name)

    @refused_is(None)
    def acquire(self, name, client_id, ttl):
        self._must_be_free(name)
        self._locks[name] = (client_id, self._clock() + ttl)
        self._token += 1
        return self._token

    @refused_is(False)
    def release(self, name, client_id):
        holder, end = self._locks[name]
        if holder != client_id or self._clock() >= end:
            raise _Refused(name)
        del self._locks[name]
        return True
