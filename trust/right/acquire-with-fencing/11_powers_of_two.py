# Tokens double with each grant, so that they soon outgrow 64 bits; one dict per field.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._client = {}
        self._expiry = {}
        self._token = 1 << 60

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        if self._expiry.get(name, now) > now:
            return None
        self._client[name] = client_id
        self._expiry[name] = now + ttl
        self._token <<= 1
        return self._token

    def release(self, name, client_id):
        if name not in self._client or self._client[name] != client_id:
            return False
        was_running = self._clock() < self._expiry[name]
        del self._client[name], self._expiry[name]
        return was_running
