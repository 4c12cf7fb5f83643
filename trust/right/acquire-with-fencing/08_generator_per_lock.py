# Each lock is a generator that is sent requests and yields answers; its local variables are the lease.
from itertools import count

ACQUIRE, RELEASE = range(2)


def lock(clock, tokens):
    answer = None
    while True:
        # Free: wait for somebody who wants it.
        while True:
            verb, client, ttl = yield answer
            if verb == ACQUIRE:
                break
            answer = False
        holder, end = client, clock() + ttl
        answer = next(tokens)
        # Held: until its holder gives it back, or somebody finds that it is over.
        while True:
            verb, client, ttl = yield answer
            if clock() >= end:
                if verb == ACQUIRE:
                    holder, end = client, clock() + ttl
                    answer = next(tokens)
                    continue
                answer = False
                break
            if verb == ACQUIRE:
                answer = None
            elif client == holder:
                answer = True
                break
            else:
                answer = False


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._tokens = count(1)
        self._locks = {}

    def _send(self, name, *request):
        if name not in self._locks:
            self._locks[name] = lock(self._clock, self._tokens)
            next(self._locks[name])
        return self._locks[name].send(request)

    def acquire(self, name, client_id, ttl):
        return self._send(name, ACQUIRE, client_id, ttl)

    def release(self, name, client_id):
        return self._send(name, RELEASE, client_id, None)
