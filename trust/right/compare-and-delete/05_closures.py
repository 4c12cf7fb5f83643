# The three operations are closures over a few dicts, bound to the instance; the Grant is a SimpleNamespace.
from secrets import token_hex
from types import SimpleNamespace as Grant


class LockService:
    def __init__(self, clock):
        token_of, end_of, fences = {}, {}, [0]

        def is_held(name):
            return name in token_of and clock() < end_of[name]

        def is_held_by(name, token):
            return is_held(name) and token_of[name] == token

        def end(ttl):
            if not ttl > 0 or ttl == float("inf"):
                raise ValueError(f"bad ttl: {ttl}")
            return clock() + ttl

        def acquire(name, client_id, ttl):
            until = end(ttl)
            if is_held(name):
                return None
            fences.append(fences[-1] + 1)
            token_of[name], end_of[name] = token_hex(), until
            return Grant(ownership_token=token_of[name], fencing_token=fences[-1], expires_at=until)

        def renew(name, ownership_token, ttl):
            until = end(ttl)
            if is_held_by(name, ownership_token):
                end_of[name] = until
                return True
            return False

        def release(name, ownership_token):
            if is_held_by(name, ownership_token):
                del token_of[name], end_of[name]
                return True
            return False

        self.acquire, self.renew, self.release = acquire, renew, release
