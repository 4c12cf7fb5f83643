# A handle changes its class as it changes its state (Held, Released, Lost), and each grant is an actor: one task with a mailbox that helpers post to.
import math
import random
from collections import deque

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Mailbox:
    def __init__(self):
        self._letters = deque()
        self._bell = Signal()

    def post(self, *letter):
        self._letters.append(letter)
        self._bell.set()

    async def get(self, timeout):
        """The next letter, or None when the time is over."""
        if not self._letters:
            self._bell = Signal()
            await self._bell.wait(max(timeout, 1e-6))
        return self._letters.popleft() if self._letters else None


class LockHandle:
    """Held."""

    def __init__(self, actor, on_lost):
        self.name = actor.grant.name
        self.fencing_token = actor.grant.fencing_token
        self._actor = actor
        self._on_lost = on_lost
        actor.held.append(self)

    def is_held(self):
        return self._actor.believes()

    async def release(self):
        if current_task() is not self._actor.owner:
            raise RuntimeError("only the owner may release")
        self.__class__ = Released
        await self._actor.left(self)

    def _lose(self):
        self.__class__ = Lost

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        await self.release()


class Ended(LockHandle):
    def is_held(self):
        return False

    async def release(self):
        pass


class Released(Ended):
    pass


class Lost(Ended):
    pass


class Actor:
    def __init__(self, client, grant, sent, owner):
        self.client, self.grant, self.owner = client, grant, owner
        self.deadline = sent + grant.ttl
        self.held = []
        self.alive = True
        self.mail = Mailbox()

    def believes(self):
        return self.alive and self.client.clock() < self.deadline

    async def left(self, handle):
        self.held.remove(handle)
        if self.held or not self.alive:
            return
        self.stop()
        self.mail.post("stop")
        for last in (False, True):
            try:
                await self.client.service.release(self.grant.name, self.grant.ownership_token)
                break
            except TransportError:
                if last:
                    break

    def stop(self):
        self.alive = False
        if self.client.actors.get(self.grant.name) is self:
            del self.client.actors[self.grant.name]

    def next_renewal(self):
        return self.client.clock() + self.grant.ttl / 3 * random.uniform(0.9, 1.1)

    async def run(self):
        clock = self.client.clock
        renew_at = self.next_renewal()
        while self.alive:
            letter = await self.mail.get(min(renew_at, self.deadline) - clock())
            if not self.alive:
                return
            now = clock()
            if now >= self.deadline:
                return self.lose()
            match letter:
                case None if now >= renew_at:
                    renew_at = math.inf
                    spawn(self.renew())
                case ("answer", _, False):
                    return self.lose()
                case ("answer", sent, True):
                    self.deadline = sent + self.grant.ttl
                    renew_at = self.next_renewal()
                case ("answer", _, None):
                    renew_at = self.next_renewal()

    async def renew(self):
        if not self.believes():
            return
        sent = self.client.clock()
        try:
            answer = await self.client.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
        except TransportError:
            answer = None
        self.mail.post("answer", sent, answer)

    def lose(self):
        self.stop()
        lost, self.held = self.held, []
        for handle in lost:
            handle._lose()
        for handle in lost:
            if handle._on_lost is not None:
                try:
                    handle._on_lost()
                except Exception:
                    pass


class LockClient:
    def __init__(self, service, clock):
        self.service, self.clock = service, clock
        self.actors = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not (math.isfinite(wait_s) and wait_s >= 0):
            raise ValueError("wait_s")
        owner = current_task()
        actor = self.actors.get(name)
        if reentrant and actor is not None and actor.owner is owner and actor.believes():
            return LockHandle(actor, on_lost)
        schedule = self._schedule(self.clock() + wait_s)
        for pause in schedule:
            if pause:
                await self.clock.sleep(pause)
            actor = await self._try(name, ttl_s, owner)
            if actor is not None:
                self.actors[name] = actor
                spawn(actor.run())
                return LockHandle(actor, on_lost)
        return None

    def _schedule(self, end):
        """The pause before each try. Cut at the end; nothing after it."""
        last = self.clock() >= end
        yield 0
        longest = BASE_S
        while not last and self.clock() < end:
            pause = random.uniform(0, min(longest, CAP_S))
            longest = min(longest * 2, CAP_S)
            left = end - self.clock()
            last = left <= pause
            yield min(left, pause)

    async def _try(self, name, ttl_s, owner):
        sent = self.clock()
        try:
            grant = await self.service.acquire(name, ttl_s)
        except TransportError:
            return None
        if grant is None:
            return None
        actor = Actor(self, grant, sent, owner)
        if actor.believes():
            return actor
        spawn(self._give_back(grant))
        return None

    async def _give_back(self, grant):
        try:
            await self.service.release(grant.name, grant.ownership_token)
        except TransportError:
            pass

    def on_release(self, name, callback):
        mail = Mailbox()
        over = []

        async def watching(watch):
            mail.post("fired" if await watch.fired(WATCH_S) else "silent", watch)

        async def close(watch):
            for _ in range(2):
                try:
                    return await watch.close()
                except TransportError:
                    pass

        async def ask():
            if over:
                return mail.post("again", None)
            try:
                mail.post("watch", await self.service.watch(name))
            except TransportError:
                mail.post("again", None)

        async def run():
            current = None
            spawn(ask())
            asked = True
            while True:
                letter = await mail.get(10 * WATCH_S)
                match letter:
                    case ("watch", watch) if over:
                        await close(watch)
                        return
                    case ("watch", watch):
                        current, asked = watch, False
                        spawn(watching(watch))
                    case ("again", _) if not over:
                        spawn(ask())
                    case ("silent", watch) if not over and watch is current:
                        current, asked = None, True
                        await close(watch)
                        if not over:
                            spawn(ask())
                        else:
                            return
                    case ("fired", watch) if not over and watch is current:
                        over.append("fired")
                        callback()
                        return
                    case ("cancel", _):
                        if current is not None:
                            await close(current)
                            return
                        if not asked:
                            return
                    case ("again", _):
                        return

        def cancel():
            if not over:
                over.append("cancelled")
                mail.post("cancel", None)

        spawn(run())
        return cancel
