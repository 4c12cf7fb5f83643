# A token is minted before the lock is looked at, and is lost when the answer is no.
from collections import defaultdict


class Slot:
    client = None
    expiry = None

    def free_at(self, now):
        return self.expiry is None or self.expiry <= now

    def clear(self):
        self.client = self.expiry = None


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._slots = defaultdict(Slot)
        self._minted = 0

    def _mint(self):
        self._minted += 1
        return self._minted

    def acquire(self, name, client_id, ttl):
        token = self._mint()
        now = self._clock()
        slot = self._slots[name]
        if not slot.free_at(now):
            return None
        slot.client, slot.expiry = client_id, now + ttl
        return token

    def release(self, name, client_id):
        slot = self._slots[name]
        if slot.expiry is None or slot.client != client_id:
            return False
        slot.clear()
        return True
