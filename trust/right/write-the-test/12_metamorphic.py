# Has no model: a schedule is played in several ways that must look alike (later in time, under other names, with refused calls put in between), and only the first way is compared with what the contract says.
import random
import secrets

from leasehold import TransportError


class FakeClock:
    def __init__(self, start=0.0):
        self._now = start

    def __call__(self):
        return self._now

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time does not go back")
        self._now += seconds


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at

    def over(self, now):
        return self.expires_at <= now


class FakeLockService:
    """The record of a lock is a Grant of its own, not the one that was handed out."""

    def __init__(self, clock):
        self._clock = clock
        self._own = {}
        self._numbers = 0
        self._next = None

    def _answer(self, compute):
        switch, self._next = self._next, None
        answer = None if switch == "lost request" else compute()
        if switch is not None:
            raise TransportError(switch)
        return answer

    def acquire(self, name, client_id, ttl):
        def compute():
            now = self._clock()
            if name in self._own and not self._own[name].over(now):
                return None
            self._numbers += 1
            own = self._own[name] = Grant(secrets.token_hex(16), self._numbers, now + ttl)
            return Grant(own.ownership_token, own.fencing_token, own.expires_at)
        return self._answer(compute)

    def _if_mine(self, name, token, change):
        own = self._own.get(name)
        if own is None or own.over(self._clock()) or own.ownership_token != token:
            return False
        change(own)
        return True

    def renew(self, name, ownership_token, ttl):
        def change(own):
            own.expires_at = self._clock() + ttl
        return self._answer(lambda: self._if_mine(name, ownership_token, change))

    def release(self, name, ownership_token):
        return self._answer(lambda: self._if_mine(name, ownership_token, lambda own: self._own.pop(name)))

    def lose_next_request(self):
        self._next = "lost request"

    def lose_next_reply(self):
        self._next = "lost reply"


class Play:
    """Plays moves and keeps the answers in a form without tokens: a grant is its number among the grants."""

    def __init__(self, make_service, seen, start=0.0, rename=str, noise=False, client=str):
        self.clock = FakeClock(start)
        self.start = start
        self.service = make_service(self.clock)
        self.seen = seen
        self.rename, self.client, self.noise = rename, client, noise
        self.tokens = []
        self.last = None
        self.answers = []

    def play(self, moves):
        for move in moves:
            self.answers.append(self.move(*move))
            if self.noise:
                self.make_noise()
        return self.answers

    def move(self, verb, name, who=None, ttl=None):
        name = self.rename(name)
        if verb == "at":
            self.clock.advance(max(0.0, self.start + ttl - self.clock()))
            return None
        if verb == "acquire":
            return self.grant(self.service.acquire(name, self.client(who), ttl), ttl)
        token = self.tokens[who] if who < len(self.tokens) else "none"
        answer = self.service.renew(name, token, ttl) if verb == "renew" else self.service.release(name, token)
        assert answer is True or answer is False
        return answer

    def grant(self, grant, ttl):
        if grant is None:
            return None
        token, fencing, end = grant.ownership_token, grant.fencing_token, grant.expires_at
        assert end == self.clock() + ttl, "expires_at"
        assert isinstance(token, str) and token not in self.seen, "ownership token"
        assert self.last is None or fencing > self.last, "fencing token"
        self.seen.add(token)
        self.last = fencing
        self.tokens.append(token)
        return len(self.tokens) - 1

    def make_noise(self):
        """Calls that can't do anything."""
        for name in ("p", "q"):
            assert self.service.renew(self.rename(name), "nobody's", 64.0) is False
            assert self.service.release(self.rename(name), "nobody's") is False
            for token in self.tokens[-2:]:
                assert self.service.renew("a name apart", token, 64.0) is False
                assert self.service.release("a name apart", token) is False


def promised(moves):
    """The answers by the contract, read off the moves before them."""
    answers, now, count = [], 0.0, 0
    newest = {}        # name -> number and end of its newest grant
    for verb, name, *rest in moves:
        number, end = newest.get(name, (None, 0.0))
        held = number is not None and now < end
        match verb, *rest:
            case "at", _, moment:
                now = max(now, moment)
                answers.append(None)
            case "acquire", _, ttl:
                answers.append(None if held else count)
                if not held:
                    newest[name] = count, now + ttl
                    count += 1
            case "renew" | "release" as verb, who, *ttl:
                mine = held and who == number
                answers.append(mine)
                if mine:
                    newest[name] = number, now + ttl[0] if ttl else now
    return answers


def draw(rng, length):
    moves, now, ends, grants = [], 0.0, [], 0
    for _ in range(length):
        name, ttl = "pq"[rng.random() < 0.35], (0.5, 1.0, 3.5, 8.0)[int(rng.random() * 4)]
        dice = rng.random()
        if dice < 0.4:
            moves.append(("acquire", name, "cd"[rng.random() < 0.5], ttl))
            ends.append(now + ttl)
            grants += 1
        elif dice < 0.75 and grants:
            who = max(0, int(grants * 0.6) - int(rng.random() * 3))
            if dice < 0.6:
                moves.append(("renew", name, who, ttl))
                ends.append(now + ttl)
            else:
                moves.append(("release", name, who))
        else:
            ahead = [end for end in ends if end > now]
            now = max(now, min(ahead) - 0.125 * (rng.random() < 0.5)) if ahead else now + 0.125
            moves.append(("at", name, None, now))
    for end in sorted(set(ends)):
        if end > now:
            moves += [("at", "p", None, max(now, end - 0.125)), ("acquire", "p", "e", 0.0625), ("acquire", "q", "e", 0.0625),
                      ("at", "p", None, end), ("acquire", "p", "c", 0.0625), ("acquire", "q", "c", 0.0625)]
            now = end
    return moves


RENAMES = [
    lambda name: {"p": "Job", "q": "job"}.get(name, name),
    lambda name: {"p": "", "q": " "}.get(name, name),
    lambda name: {"p": "job", "q": "job "}.get(name, name),
    lambda name: name * 150,
    lambda name: "z" * 150 + name,
    lambda name: {"p": "a/b", "q": "b"}.get(name, name),
    lambda name: {"p": "\u00e9", "q": "e\u0301"}.get(name, name),
    lambda name: {"p": "12", "q": "1"}.get(name, name),
]


def same(one, other, what):
    if one != other:
        at = [a == b for a, b in zip(one, other)].index(False)
        raise AssertionError(f"answer {at} {what}: {one[at]} there, {other[at]} here")


def far():
    yield [("acquire", "p", "c", 1.0)] + [m for i in range(700) for m in (("release", "p", i), ("acquire", "p", "c", 1.0))]
    yield [("acquire", "p", "c", 400.0)] + [("acquire", "p", "cd"[i % 2], 500.0) for i in range(500)] + [
        m for i in range(1, 300) for m in (("at", "p", None, float(i)), ("renew", "p", 0, 400.0))] + [
        ("at", "p", None, 698.875), ("acquire", "p", "d", 1.0), ("at", "p", None, 699.0), ("acquire", "p", "d", 1.0)]
    yield [("acquire", f"n{i}", "c", 50.0) for i in range(250)] + [("acquire", f"n{i}", "d", 50.0) for i in range(250)] + [
        ("renew", f"n{i}", i, 20.0) for i in range(250)] + [("at", "p", None, 19.875)] + [
        ("acquire", f"n{i}", "d", 50.0) for i in range(250)] + [("at", "p", None, 20.0)] + [
        m for i in range(250) for m in (("release", f"n{i}", i), ("acquire", f"n{i}", "d", 50.0))]
    # The same again for one client, whose locks don't go together.
    yield [("acquire", f"n{i}", "c", 50.0) for i in range(50)] + [("release", f"n{i}", i) for i in range(0, 50, 2)] + [
        ("acquire", f"n{i}", "d", 50.0) for i in range(50)]
    for ttl in (0.1, 0.6, 1, 100.5, 5000.0, 90000.0, 604800.0):
        for offset in (-0.0625, 0.0):
            yield [("acquire", "p", "c", ttl), ("at", "p", None, ttl + offset), ("acquire", "p", "d", ttl), ("renew", "p", 0, ttl),
                   ("at", "p", None, 2 * ttl + 2 * offset), ("acquire", "p", "d", ttl), ("release", "p", 0), ("release", "p", 1),
                   ("acquire", "p", "d", ttl)]
        for verb in (("renew", "p", 0, ttl), ("release", "p", 0)):
            yield [("acquire", "p", "c", ttl), ("at", "p", None, ttl), verb, ("acquire", "p", "d", ttl), verb]
    rests = (70.0, 5000.0, 100000.0, 2e6, 1e8)
    yield [m for i, rest in enumerate(rests) for m in (
        ("acquire", "p", "c", 1.0), ("at", "p", None, rest), ("renew", "p", i, 1.0), ("release", "p", i), ("renew", "p", 0, 1.0))]
    yield [("acquire", "p", "c", 1.0), ("acquire", "q", "c", 2e8)] + [m for rest in rests for m in (
        ("at", "p", None, rest), ("acquire", "p", "c", 1.0), ("acquire", "q", "c", 1.0))] + [("release", "q", 1)]


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for moves in far():
        same(promised(moves), Play(make_service, seen).play(moves), "on a long way")
    for i in range(26):
        moves = draw(rng, 22)
        first = Play(make_service, seen).play(moves)
        same(promised(moves), first, "by the contract")
        match i % 4:
            case 0:
                same(first, Play(make_service, seen, start=2.0 ** (6 + i)).play(moves), "at another time")
            case 1:
                same(first, Play(make_service, seen, noise=True).play(moves), "with other calls in between")
            case 2:
                same(first, Play(make_service, seen, client=lambda who: "one and all").play(moves), "with one client")
        same(first, Play(make_service, seen, rename=RENAMES[i % len(RENAMES)]).play(moves), "with other names")
