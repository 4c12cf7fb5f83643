# Much commented, step by step, every case written out where it happens.
from leasehold import Cancelled, TransportError


class NotAcquired(Exception):
    """Raised by `async with` when the lock could not be had."""


class LockHandle:

    def __init__(self, service, clock, name, ttl, on_lost=None):
        self._service = service
        self._clock = clock
        self._name = name
        self._ttl = ttl
        self._on_lost = on_lost
        # what the service gave us, None if nothing
        self._grant = None
        # until when we may believe that we hold it
        self._deadline = None
        # has acquire been called?
        self._acquire_was_called = False
        self.state = "acquiring"
        self.fencing_token = None

    async def acquire(self):
        # only once!
        if self._acquire_was_called == True:
            raise RuntimeError("acquire was called already")
        # release came before us
        if self.state == "released":
            raise RuntimeError("released already")
        self._acquire_was_called = True

        # time BEFORE we send
        time_before = self._clock()
        try:
            grant = await self._service.acquire(self._name, self._ttl)
        except TransportError:
            # nobody knows
            self.state = "released"
            raise
        except Cancelled:
            # somebody stopped us
            self.state = "released"
            raise
        except BaseException:
            # anything else
            self.state = "released"
            raise
        # case 1: refused
        if grant is None:
            self.state = "released"
            return False
        # case 2: release() was called while we waited
        if self.state == "released":
            try:
                await self._service.release(self._name, grant.ownership_token)
            except Exception:
                # it runs out by itself
                pass
            return False
        # case 3: too slow
        if self._clock() >= time_before + self._ttl:
            self.state = "released"
            return False
        # case 4: we have it
        self._grant = grant
        self.fencing_token = grant.fencing_token
        self._deadline = time_before + self._ttl
        self.state = "held"
        return True

    async def renew(self):
        # nothing to renew
        if self.state != "held":
            return False
        # too late
        if self._clock() >= self._deadline:
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
            return False
        # ask
        time_before = self._clock()
        try:
            answer = await self._service.renew(self._name, self._grant.ownership_token, self._ttl)
        except Exception:
            # were we released or lost meanwhile? then it does not matter
            if self.state != "held":
                return False
            # did it take too long?
            if self._clock() >= self._deadline:
                self.state = "lost"
                if self._on_lost is not None:
                    self._on_lost()
                return False
            # still ours, but not renewed
            raise
        # released or lost meanwhile
        if self.state != "held":
            return False
        # too late, whatever the answer is
        if self._clock() >= self._deadline:
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
            return False
        # rejected
        if answer == False:
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
            return False
        # renewed. another task may have renewed it for longer already
        new_deadline = time_before + self._ttl
        if new_deadline > self._deadline:
            self._deadline = new_deadline
        return True

    async def release(self):
        # nobody has it yet
        if self.state == "acquiring":
            self.state = "released"
            return False
        # over
        if self.state == "lost":
            return False
        if self.state == "released":
            return False
        # held, but too late
        if self._clock() >= self._deadline:
            self.state = "lost"
            if self._on_lost is not None:
                self._on_lost()
            return False
        # held: first say so, then ask
        self.state = "released"
        freed = await self._service.release(self._name, self._grant.ownership_token)
        return freed

    def is_held(self):
        if self.state == "held":
            if self._clock() < self._deadline:
                return True
        return False

    async def __aenter__(self):
        got_it = await self.acquire()
        if got_it == False:
            raise NotAcquired("could not get " + str(self._name))
        return self

    async def __aexit__(self, kind, exception, traceback):
        try:
            await self.release()
        except BaseException:
            # the work is done, and the lease runs out by itself
            pass
        # do not hide the error of the block
        return False
