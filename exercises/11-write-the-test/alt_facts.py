# No model that is played along: what happened is written down as facts, and each answer is judged by what they imply.
import random
import secrets
import types

from leasehold import TransportError


def FakeClock(start=0.0):
    """A closure does as well as a class, if it can be called and has `advance`."""

    def clock():
        return clock.now

    def advance(seconds):
        if seconds < 0:
            raise ValueError("back?")
        clock.now += seconds

    clock.now = float(start)
    clock.advance = advance
    return clock


def FakeLockService(clock):
    state = {}
    trouble = []
    numbers = iter(range(1, 10**9))

    def exposed(method):
        def call(*args, **kwargs):
            lost = trouble.pop() if trouble else ""
            if lost == "request":
                raise TransportError(lost)
            answer = method(*args, **kwargs)
            if lost == "reply":
                raise TransportError(lost)
            return answer

        return call

    def holder(name):
        token, end = state.get(name, (None, 0.0))
        return token if token is not None and clock() < end else None

    def acquire(name, client_id, ttl):
        if holder(name) is not None:
            return None
        grant = types.SimpleNamespace(
            ownership_token=secrets.token_urlsafe(12), fencing_token=next(numbers), expires_at=clock() + ttl
        )
        state[name] = grant.ownership_token, grant.expires_at
        return grant

    def renew(name, ownership_token, ttl):
        if holder(name) != ownership_token or ownership_token is None:
            return False
        state[name] = ownership_token, clock() + ttl
        return True

    def release(name, ownership_token):
        if holder(name) != ownership_token or ownership_token is None:
            return False
        return state.pop(name) is not None

    return types.SimpleNamespace(
        acquire=exposed(acquire),
        renew=exposed(renew),
        release=exposed(release),
        lose_next_request=lambda: trouble.append("request"),
        lose_next_reply=lambda: trouble.append("reply"),
    )


class Wrong(Exception):
    pass


def claim(truth, *words):
    if not truth:
        raise Wrong(*words)


class Facts:
    def __init__(self):
        self.all = []   # ("granted" | "renewed" | "released", time, name, token, end)

    def holder(self, name, now):
        for what, _, of, token, end in reversed(self.all):
            if of == name:
                return token if what != "released" and now < end else None
        return None


def play(make_service, draw, steps, names, lengths, moves):
    clock = FakeClock(draw.randrange(100))
    service = make_service(clock)
    facts = Facts()
    known = [("", "nobody's")]
    fencing = []
    for _ in range(steps):
        clock.advance(draw.choice(moves))
        now = clock()
        name = draw.choice(names)
        of, token = draw.choice(known[-3:])
        if draw.randrange(3) and of:
            name = of
        ttl = draw.choice(lengths)
        holder = facts.holder(name, now)
        what = draw.choice(("acquire", "acquire", "renew", "release"))
        if what == "acquire":
            grant = service.acquire(name=name, client_id=draw.choice(("p", "q")), ttl=ttl)
            claim((grant is None) == (holder is not None), "acquire", name, now, facts.all)
            if grant is None:
                continue
            claim(grant.expires_at == now + ttl, "expires_at", grant.expires_at)
            claim(not fencing or grant.fencing_token > fencing[-1], "fencing", fencing)
            claim(all(grant.ownership_token != old for _, old in known), "ownership token again")
            fencing.append(grant.fencing_token)
            known.append((name, grant.ownership_token))
            facts.all.append(("granted", now, name, grant.ownership_token, now + ttl))
        elif what == "renew":
            claim(service.renew(name, token, ttl) is (holder == token), "renew", name, now, facts.all)
            if holder == token:
                facts.all.append(("renewed", now, name, token, now + ttl))
        else:
            claim(service.release(name, token) is (holder == token), "release", name, now, facts.all)
            if holder == token:
                facts.all.append(("released", now, name, token, now))


def check(make_service, seed):
    draw = random.Random(seed * 7919)
    for _ in range(60):
        play(make_service, draw, 20, ("x", "y"), (0.5, 1.0, 2.5), (0.0, 0.0, 0.5, 1.0))
    play(make_service, draw, 350, ("x",), (0.5,), (0.5,))
    play(make_service, draw, 320, [f"n{n}" for n in range(60)], (60.0,), (0.0, 0.25))
    for length in (600.0, 90000.0):
        play(make_service, draw, 30, ("x",), (length,), (0.0, length / 2 - 0.5, length / 2, 0.5))
    tokens = [make_service(lambda: 5.0).acquire("x", "p", 9.0).ownership_token for _ in range(8)]
    claim(len(set(tokens)) == len(tokens), "the same secret twice")
