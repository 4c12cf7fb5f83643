# The state is a descriptor that allows five transitions, raises on others and tells of a loss; methods are built on try.
class NotAcquired(Exception):
    pass


class NoSuchWay(Exception):
    pass


class State:
    WAYS = {"acquiring": ("held", "released"), "held": ("held", "lost", "released"), "lost": (), "released": ()}

    def __set_name__(self, owner, name):
        self._slot = "__" + name

    def __get__(self, handle, owner=None):
        return self if handle is None else vars(handle).get(self._slot, "acquiring")

    def __set__(self, handle, new):
        old = self.__get__(handle)
        if new not in self.WAYS[old]:
            raise NoSuchWay(f"{old} -> {new}")
        vars(handle)[self._slot] = new
        if new == "lost":
            handle.tell()


class LockHandle:
    state = State()
    fencing_token = None
    _asked = False
    _grant = None
    _deadline = None

    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service, self._clock, self._name, self._ttl, self._on_lost = service, clock, name, ttl, on_lost

    def tell(self):
        if self._on_lost is not None:
            try:
                self._on_lost()
            except Exception:
                pass

    def _try(self, new):
        """Go that way if there is one. Whether there was."""
        try:
            self.state = new
        except NoSuchWay:
            return False
        return True

    def _check(self):
        if self.state == "held" and self._clock() >= self._deadline:
            self.state = "lost"
        return self.state == "held"

    async def acquire(self):
        if self._asked or self.state != "acquiring":
            raise RuntimeError(f"acquire() of a handle that is {self.state}")
        self._asked = True
        deadline = self._clock() + self._ttl
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except BaseException:
            self._try("released")
            raise
        if grant is None or self._clock() >= deadline or not self._try("held"):
            wanted = self._try("released")
            if grant is not None and not wanted:
                try:
                    await self._service.release(self._name, grant.ownership_token)
                except BaseException:
                    pass
            return False
        self._grant, self._deadline, self.fencing_token = grant, deadline, grant.fencing_token
        return True

    async def renew(self):
        if not self._check():
            return False
        deadline = self._clock() + self._ttl
        try:
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except BaseException:
            self._check()
            raise
        if self._check() and self._try("held" if answer else "lost") and answer:
            self._deadline = max(self._deadline, deadline)
            return True
        return False

    async def release(self):
        held = self._check()
        return self._try("released") and held and await self._service.release(self._name, self._grant.ownership_token)

    def is_held(self):
        return self.state == "held" and self._clock() < self._deadline

    async def __aenter__(self):
        if not await self.acquire():
            raise NotAcquired(self._name)
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            pass
