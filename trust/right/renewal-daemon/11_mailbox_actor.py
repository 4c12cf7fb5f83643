# An actor: run() owns all state and takes messages from a mailbox whose timeouts are the next thing that is due.
import random
from collections import deque

from leasehold import Signal, TransportError, spawn


class Mailbox:
    def __init__(self):
        self._mail = deque()
        self._signal = Signal()

    def put(self, *message):
        self._mail.append(message)
        self._signal.set()

    async def get(self, timeout):
        """The next message, or None when the time is over."""
        if not self._mail:
            self._signal = Signal()
            await self._signal.wait(timeout)
        return self._mail.popleft() if self._mail else None


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._on_lost = on_lost
        self._mailbox = Mailbox()
        self._deadline = asked_at + grant.ttl
        self._open = True

    async def run(self):
        due = self._clock() + self._pause()
        while self._open:
            now = self._clock()
            if now >= self._deadline:
                break
            if now >= due:
                spawn(self._ask(now))
                due = float("inf")  # one at a time
            message = await self._mailbox.get(min(due, self._deadline) - now)
            if not self._open:
                return
            if message is None:
                continue
            what, sent = message
            if what == "no" or self._clock() >= self._deadline:
                break
            if what == "yes":
                self._deadline = sent + self._grant.ttl
            due = self._clock() + self._pause()
        if self._open:
            self._open = False
            self._on_lost()

    def _pause(self):
        return self._grant.ttl / 3 * random.choice([0.9, 0.92, 0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08, 1.1])

    async def _ask(self, sent):
        if not self.is_held():
            return self._mailbox.put("unknown", sent)
        try:
            yes = await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl)
        except TransportError:
            self._mailbox.put("unknown", sent)
        else:
            self._mailbox.put("yes" if yes else "no", sent)

    def stop(self):
        if self._open:
            self._open = False
            self._mailbox.put("stop", None)

    def is_held(self):
        return self._open and self._clock() < self._deadline
