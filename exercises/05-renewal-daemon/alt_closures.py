# Everything in closures over a dict; no state machine, but a single `over` reason.
from random import random

from leasehold import TransportError, spawn


class Renewer:
    def __init__(self, service, clock, grant, asked_at, on_lost):
        mine = {"until": asked_at + grant.ttl, "over": None}

        def alive():
            return mine["over"] is None and clock() < mine["until"]

        def end(reason):
            if mine["over"] is not None:
                return
            mine["over"] = reason
            if reason != "stopped":
                on_lost()

        async def guard():
            while mine["over"] is None:
                left = mine["until"] - clock()
                if left > 0:
                    await clock.sleep(left)
                else:
                    end("expired")

        async def attempt():
            before = clock()
            try:
                answer = await service.renew(grant.name, grant.ownership_token, grant.ttl)
            except TransportError:
                return
            if not answer:
                end("rejected")
            else:
                mine["until"] = max(mine["until"], before + grant.ttl)

        async def run():
            spawn(guard())
            third = grant.ttl / 3
            while True:
                await clock.sleep(third * (0.9 + 0.2 * random()))
                if not alive():
                    break
                await attempt()
            end("expired")

        self.run = run
        self.is_held = alive
        self.stop = lambda: end("stopped")

    # The closures above stand in for these.
    async def run(self):
        raise NotImplementedError

    def is_held(self):
        raise NotImplementedError

    def stop(self):
        raise NotImplementedError
