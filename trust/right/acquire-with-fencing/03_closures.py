# Everything lives in closures that __init__ binds; the class has no methods and no fields of its own.
class LockManager:
    def __init__(self, clock):
        holders = {}
        last = -1

        def holder_of(name):
            client, over_at = holders.get(name, (None, float("-inf")))
            return None if clock() >= over_at else (client,)

        def acquire(name, client_id, ttl):
            nonlocal last
            if holder_of(name):
                return None
            holders[name] = client_id, clock() + ttl
            last += 1
            return last

        def release(name, client_id):
            if holder_of(name) != (client_id,):
                return False
            del holders[name]
            return True

        self.acquire = acquire
        self.release = release
