# Nothing is ever changed: grants and releases are appended to a list, and the state is read out of it.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._journal = []  # (what, name, client_id, expiry); a grant's token is its place in the list

    def _holder(self, name):
        """The client whose lease of `name` still runs, in a one-tuple; None if there is none."""
        for what, noted, client, expiry in reversed(self._journal):
            if noted == name:
                return (client,) if what == "grant" and self._clock() < expiry else None
        return None

    def acquire(self, name, client_id, ttl):
        if self._holder(name) is not None:
            return None
        self._journal.append(("grant", name, client_id, self._clock() + ttl))
        return len(self._journal)

    def release(self, name, client_id):
        if self._holder(name) != (client_id,):
            return False
        self._journal.append(("release", name, client_id, None))
        return True
