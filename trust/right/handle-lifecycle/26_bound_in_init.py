# Closures over local variables; the class only has what `async with` looks up on it.
from contextlib import suppress


class NotAcquired(Exception):
    pass


class LockHandle:
    def __init__(self, service, clock, name, ttl, on_lost=None):
        self.state = "acquiring"
        self.fencing_token = None
        token = deadline = None
        used = False

        def lose():
            self.state = "lost"
            on_lost is None or on_lost()

        def held():
            if self.state == "held" and clock() >= deadline:
                lose()
            return self.state == "held"

        async def acquire():
            nonlocal used, token, deadline
            if used or self.state != "acquiring":
                raise RuntimeError
            used = True
            until = clock() + ttl
            try:
                grant = await service.acquire(name, ttl)
            except BaseException:
                self.state = "released"
                raise
            if grant and self.state == "acquiring" and clock() < until:
                token, deadline, self.fencing_token = grant.ownership_token, until, grant.fencing_token
                self.state = "held"
                return True
            gave_up, self.state = self.state == "released", "released"
            if grant and gave_up:
                with suppress(BaseException):
                    await service.release(name, grant.ownership_token)
            return False

        async def renew():
            nonlocal deadline
            if not held():
                return False
            until = clock() + ttl
            try:
                answer = await service.renew(name, token, ttl)
            except Exception:
                if held():
                    raise
                return False
            if held() and not answer:
                lose()
            if self.state == "held":
                deadline = max(deadline, until)
            return self.state == "held"

        async def release():
            was_held = held()
            if self.state == "lost":
                return False
            self.state = "released"
            return was_held and await service.release(name, token)

        self.acquire, self.renew, self.release = acquire, renew, release
        self.is_held = lambda: self.state == "held" and clock() < deadline

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired
        return self

    async def __aexit__(self, *_):
        with suppress(BaseException):
            await self.release()
