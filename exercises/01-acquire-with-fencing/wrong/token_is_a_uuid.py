# killed-by: a_free_lock_is_granted_with_an_integer_token
# bug: The token is a UUID, which proves who holds the lock and says nothing about what came later.
# report: awslabs/amazon-dynamodb-lock-client#62
import uuid


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        token = str(uuid.uuid4())
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": token}
        return token

    def release(self, name, client_id):
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        return True
