# One supervisor task for the whole client works off an agenda (a heap of moments and functions); everything else is a plain function that it calls or a request that it starts.
import heapq
import itertools
import random

from leasehold import Signal, TransportError, current_task, spawn

BASE_S = 0.5
CAP_S = 4.0
WATCH_S = 5.0


class Agenda:
    """Calls functions when their moment has come. The task ends when there is nothing left to do."""

    def __init__(self, clock):
        self._clock = clock
        self._items = []
        self._numbers = itertools.count()
        self._changed = None
        self._running = False

    def at(self, moment, function, *args):
        item = [moment, next(self._numbers), function, args]
        heapq.heappush(self._items, item)
        if not self._running:
            self._running = True
            spawn(self._run())
        elif self._changed is not None:
            self._changed.set()
        return item

    def strike(self, item):
        """Take it off. It stays in the heap until its moment and does nothing then."""
        item[2] = None
        if self._changed is not None:
            self._changed.set()

    async def _run(self):
        while True:
            while self._items and (self._items[0][2] is None or self._items[0][0] <= self._clock()):
                _, _, function, args = heapq.heappop(self._items)
                if function is not None:
                    function(*args)
            if not self._items:
                break
            self._changed = Signal()
            await self._changed.wait(max(1e-6, self._items[0][0] - self._clock()))
            self._changed = None
        self._running = False


class Holding:
    def __init__(self, client, grant, owner, deadline):
        self.client, self.grant, self.owner, self.deadline = client, grant, owner, deadline
        self.handles = set()
        self.over = False
        self.next_renewal = client.agenda.at(client.clock() + self.pause(), self.renew)
        self.next_look = client.agenda.at(deadline, self.look)

    def pause(self):
        third = self.grant.ttl / 3
        return third + random.uniform(-third, third) / 10

    def is_good(self):
        return not self.over and self.client.clock() < self.deadline

    def end(self):
        self.over = True
        self.client.agenda.strike(self.next_renewal)
        self.client.agenda.strike(self.next_look)
        self.client.holdings = {n: h for n, h in self.client.holdings.items() if h is not self}

    def lose(self):
        self.end()
        lost = [handle for handle in self.handles if handle.state == "held"]
        for handle in lost:
            handle.state = "lost"
        # By the supervisor, a little later, one after the other.
        for handle in lost:
            if handle.on_lost is not None:
                self.client.agenda.at(self.client.clock(), quiet, handle.on_lost)

    def look(self):
        if self.over:
            return
        if self.client.clock() >= self.deadline:
            self.lose()
        else:
            self.next_look = self.client.agenda.at(self.deadline, self.look)

    def renew(self):
        if self.is_good():
            spawn(self.ask())

    async def ask(self):
        # Much may have happened since this was spawned.
        if not self.is_good():
            return
        sent = self.client.clock()
        try:
            answer = await self.client.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
        except TransportError:
            answer = None
        if not self.is_good():
            return                  # the look at the deadline does the rest
        if answer is False:
            self.lose()
            return
        if answer:
            self.deadline = sent + self.grant.ttl
        self.next_renewal = self.client.agenda.at(self.client.clock() + self.pause(), self.renew)


def quiet(function):
    try:
        function()
    except Exception:
        pass


class LockHandle:
    def __init__(self, holding, on_lost):
        self.name = holding.grant.name
        self.fencing_token = holding.grant.fencing_token
        self.holding = holding
        self.on_lost = on_lost
        self.state = "held"
        holding.handles.add(self)

    def is_held(self):
        return self.state == "held" and self.holding.is_good()

    async def release(self):
        if self.state != "held":
            return
        holding = self.holding
        if current_task() != holding.owner:
            raise RuntimeError("release by a task that did not acquire")
        self.state = "released"
        holding.handles.discard(self)
        if holding.handles or holding.over:
            return
        holding.end()
        for attempt in (1, 2):
            try:
                await holding.client.service.release(self.name, holding.grant.ownership_token)
            except TransportError:
                continue
            break

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        await self.release()
        return False


class LockClient:
    def __init__(self, service, clock):
        self.service = service
        self.clock = clock
        self.agenda = Agenda(clock)
        self.holdings = {}

    async def acquire(self, name, ttl_s, wait_s=0, reentrant=False, on_lost=None):
        if wait_s is None or not 0 <= wait_s < float("inf"):
            raise ValueError("wait_s must be a number of seconds")
        owner = current_task()
        holding = self.holdings.get(name)
        if reentrant and holding and holding.owner == owner and holding.is_good():
            return LockHandle(holding, on_lost)
        stop = self.clock() + wait_s
        for n in itertools.count():
            sent = self.clock()
            grant = None
            try:
                grant = await self.service.acquire(name, ttl_s)
            except TransportError:
                pass
            now = self.clock()
            if grant is not None and now < sent + grant.ttl:
                self.holdings[name] = Holding(self, grant, owner, sent + grant.ttl)
                return LockHandle(self.holdings[name], on_lost)
            if grant is not None:
                spawn(self._give_back(name, grant.ownership_token))
            if now >= stop or sent >= stop:
                return None
            pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** min(n, 30)))
            if now + pause >= stop:
                pause = stop - now
                stop = float("-inf")      # the next one is the last one
            await self.clock.sleep(pause)

    async def _give_back(self, name, token):
        try:
            await self.service.release(name, token)
        except TransportError:
            pass

    def on_release(self, name, callback):
        state = {"wanted": True, "watch": None}

        async def close(watch):
            try:
                await watch.close()
            except TransportError:
                if not state["wanted"]:
                    self.agenda.at(self.clock() + 1.0, spawn, close_again(watch))

        async def close_again(watch):
            try:
                await watch.close()
            except TransportError:
                pass

        async def leave():
            """One watch, from the request to its end."""
            if not state["wanted"]:
                return
            try:
                watch = await self.service.watch(name)
            except TransportError:
                self.agenda.at(self.clock() + 0.5, again)
                return
            if not state["wanted"]:
                await close(watch)
                return
            state["watch"] = watch
            fired = await watch.fired(WATCH_S)
            if not state["wanted"]:
                return
            state["watch"] = None
            if fired:
                state["wanted"] = False
                callback()
                return
            await close(watch)
            again()

        def again():
            if state["wanted"]:
                spawn(leave())

        def cancel():
            watch, state["watch"] = state["watch"], None
            if state["wanted"]:
                state["wanted"] = False
                if watch is not None:
                    spawn(close(watch))

        again()
        return cancel
