# One loop waits for Signals with a timeout, so that it sees the deadline itself; each renewal is sent by a task of its own.
from random import triangular

from leasehold import Signal, TransportError, spawn


class Answer:
    """What became of one renewal, or will."""

    def __init__(self, sent):
        self.sent = sent
        self.text = None


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        self.service, self.clock, self.grant, self.on_lost = service, clock, grant, on_lost
        self.deadline = asked_at + grant.ttl
        self.stopped = False
        self.lost = False
        self.wake = Signal()

    async def run(self):
        third = self.grant.ttl / 3
        next_try = self.clock() + triangular(0.9, 1.1) * third
        answer = None
        while not self.stopped:
            now = self.clock()
            if now >= self.deadline:
                return self.lose()
            if answer is not None and answer.text is not None:
                if answer.text == "rejected":
                    return self.lose()
                if answer.text == "renewed":
                    self.deadline = answer.sent + self.grant.ttl
                answer = None
                next_try = now + triangular(0.9, 1.1) * third
            if answer is None and now >= next_try:
                answer = Answer(now)
                spawn(self.send(answer))
            self.wake = Signal()
            until = self.deadline if answer is not None else min(self.deadline, next_try)
            await self.wake.wait(until - now)

    async def send(self, answer):
        # stop() may have come before this task had its turn, or the deadline.
        if self.stopped or self.lost or self.clock() >= self.deadline:
            return
        answer.sent = self.clock()
        try:
            ok = await self.service.renew(self.grant.name, self.grant.ownership_token, self.grant.ttl)
            answer.text = "renewed" if ok else "rejected"
        except TransportError:
            answer.text = "unknown"
        self.wake.set()

    def lose(self):
        self.lost = True
        self.on_lost()

    def stop(self):
        if not self.lost:
            self.stopped = True
            self.wake.set()

    def is_held(self):
        return not self.stopped and not self.lost and self.clock() < self.deadline
