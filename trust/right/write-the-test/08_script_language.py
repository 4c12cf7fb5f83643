# The test is a page of text in a small language that an interpreter reads with match; drawn schedules are written as text too and then read.
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


def one_lock(clock, new_grant):
    """A generator for each name: it is sent (verb, token, ttl) and yields the answer."""
    token, end, answer = None, 0.0, None
    while True:
        verb, shown, ttl = yield answer
        now = clock()
        if token is not None and end <= now:
            token = None
        match verb:
            case "acquire" if token is None:
                answer = new_grant(ttl)
                token, end = answer.ownership_token, now + ttl
            case "acquire":
                answer = None
            case "renew" if token is not None and shown == token:
                end, answer = now + ttl, True
            case "release" if token is not None and shown == token:
                token, answer = None, True
            case _:
                answer = False


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._last = 0
        self._switches = {"request": False, "reply": False}

    def _new_grant(self, ttl):
        self._last += 1
        return Grant(secrets.token_hex(16), self._last, self._clock() + ttl)

    def _send(self, name, *message):
        switches, self._switches = self._switches, {"request": False, "reply": False}
        if switches["request"]:
            raise TransportError
        if name not in self._locks:
            self._locks[name] = one_lock(self._clock, self._new_grant)
            next(self._locks[name])
        answer = self._locks[name].send(message)
        if switches["reply"]:
            raise TransportError
        return answer

    def acquire(self, name, client_id, ttl):
        return self._send(name, "acquire", None, ttl)

    def renew(self, name, ownership_token, ttl):
        return self._send(name, "renew", ownership_token, ttl)

    def release(self, name, ownership_token):
        return self._send(name, "release", ownership_token, None)

    def lose_next_request(self):
        self._switches["request"] = True

    def lose_next_reply(self):
        self._switches["reply"] = True


# One line, one schedule. `get x 10 as A` takes x for 10 s and calls the token A; `no x` is refused; `keep A 10` renews,
# `drop A` releases; with a ! in front they have to say False; `A@y` shows the token for another name.
# `+3` lets time pass, `=10` goes to that moment, `100*` repeats what is in brackets.
PAGE = """
get x 10 as A; no x; =9.875; no x; =10; !keep A 10; !drop A; get x 10 as B; !keep A 10; !drop A; no x; keep B 1; drop B
get x 10 as A; =10; get x 5 as B; no x; =14.875; no x; =15; get x 1 as C; =16; !drop C; !drop B; get x 1 as D
get x 10 as A; =9.875; keep A 10; =10; no x; =19.75; no x; !drop X; =19.875; !keep A 5; get x 1 as B
get x 10 as A; =5; keep A 1; no x; =5.875; no x; =6; !keep A 10; !drop A; get x 10 as B; =10; no x; =15.875; no x; =16; get x 1 as C
get x 10 as A; =5; keep A 30; =10; no x; =34.875; no x; drop A; !drop A; !keep A 9; get x 1 as B; !drop A; no x
get x 10 as A; =9; keep A 10; =18; keep A 10; =27; keep A 10; =36.875; no x; =37; !drop A; get x 1 as B; =38; get x 1 as C
get x 10 as A; drop A; !drop A; !keep A 5; get x 4 as B; !drop A; !keep A 50; no x; =3.875; no x; =4; get x 20 as C; =10; no x; =23.875; no x; =24; !keep C 1
get x 10 as A; get y 20 as B; !drop A@y; !drop B@x; !keep A@y 99; !keep B@x 99; no x; no y; =10; get x 5 as C; no y; =15; !keep C 1; =19.875; no y; =20; get y 1 as D; get x 1 as E
get x 10 as A; get y 10 as B; get z 10 as C; drop B; no x; no z; keep A 20; get y 10 as D; !drop B; keep C 5; =5; get z 1 as E; no x; no y; =10; get y 9 as F; no x; =20; get x 1 as G
get x 10 as A; !keep A@none 5; !drop A@none; get none 1 as B; !keep X 50; !drop X; no x; =10; get x 1 as C
get x 10 as A; =2; no x; no x; no x; keep A 4; no x; =5.875; no x; =6; get x 9 as B; drop B; get x 1 as C; =7; get x 1 as D
get x 0.1 as A; +0.0625; no x; +0.0625; get x 0.3 as B; +0.28125; no x; keep B 0.7; +0.6875; no x; +0.03125; !drop B; get x 1.9 as C; +1.875; no x; +0.03125; !keep C 1; get x 1 as D
get x 10.75 as A; =10.5; no x; =10.625; no x; =10.75; !drop A; get x 0.5 as B; =11.125; no x; keep B 0.25; =11.375; get x 1 as C
get x 90 as A; =89.875; no x; keep A 90; =179.75; no x; =179.875; get x 1 as B
get x 4000 as A; =3999.875; no x; keep A 4000; =7999.75; no x; =7999.875; !keep A 1; get x 1 as B
get x 90000 as A; =89999.875; no x; keep A 90000; =179999.75; no x; =179999.875; !drop A; get x 1 as B
get x 604800 as A; =1; no x; =604799.875; no x; keep A 604800; =1209599.75; no x; =1209599.875; !keep A 1; get x 1 as B
get x 1 as A; +60; get x 1 as B; !drop A; +4000; !keep B 1; get x 1 as C; +90000; get x 1 as D; +700000; !keep D 1; get x 1 as E; +40000000; !drop A; !drop E; !keep E 1; get x 1 as F
get x 8 as A; get y 900000000 as B; +90000; get x 8 as C; +5000000; no y; get x 8 as D; keep B 5; +4.875; no y; +0.125; get y 1 as E
700* [get x 1 as A; drop A]; !drop A; get x 1 as B
250* [get x 0.5 as A; +0.375; no x; +0.125; !keep A 1]
get x 100 as A; 300* [no x; !drop X; !keep X 900]; keep A 8; 63* [no x; +0.125]; no x; +0.125; get x 1 as B
get x 1 as A; 400* [+0.875; keep A 1; no x]; +0.875; no x; drop A; get x 1 as B; !drop A
get x 1000 as A; 200* [keep A 1000]; =999.875; no x; =1000; get x 1 as B
"""


class Player:
    def __init__(self, make_service, seen, start, names=None):
        self.clock = FakeClock(start)
        self.start = start
        self.service = make_service(self.clock)
        self.names = names or {}
        self.tokens = {"X": ("x", "X")}
        self.seen = seen
        self.last = None
        self.turn = 0

    def play(self, commands):
        for command in commands:
            if isinstance(command, tuple):
                for _ in range(command[0]):
                    self.play(command[1])
            else:
                self.do(command)

    def client(self):
        self.turn += 1
        return "pqr"[self.turn % 3]

    def do(self, words):
        match words:
            case ["get", name, ttl, "as", label]:
                grant = self.service.acquire(self.names.get(name, name), self.client(), ttl)
                assert grant is not None, f"{words}: refused"
                token, number, end = grant.ownership_token, grant.fencing_token, grant.expires_at
                assert end == self.clock() + ttl, f"{words}: expires_at"
                assert isinstance(token, str) and token not in self.seen, f"{words}: ownership token"
                assert self.last is None or number > self.last, f"{words}: fencing token"
                self.seen.add(token)
                self.last = number
                self.tokens[label] = name, token
            case ["no", name]:
                for _ in range(2):
                    assert self.service.acquire(self.names.get(name, name), self.client(), 6.0) is None, f"{words}: granted"
            case ["keep" | "!keep" | "drop" | "!drop" as verb, label, *ttl]:
                label, _, other = label.partition("@")
                name, token = self.tokens[label]
                name = other or name
                call = self.service.renew if ttl else self.service.release
                answer = call(self.names.get(name, name), token, *ttl)
                assert answer is (verb[0] != "!"), f"{words}: {answer}"
            case ["+", seconds]:
                self.clock.advance(seconds)
            case ["=", moment]:
                self.clock.advance(self.start + moment - self.clock())
            case _:
                raise SyntaxError(words)


def read(line):
    """A list of commands; a repeated part is (how often, commands)."""
    commands = []
    for part in line.split(";"):
        part = part.strip()
        times = 1
        if "* [" in part:
            times, part = part.split("* [")
            outer, commands = commands, []
            commands.append((int(times), outer))     # put right at the closing bracket
        closing = part.endswith("]")
        words = part.rstrip("]").split()
        if words[0][0] in "+=":
            words = [words[0][0], float(words[0][1:])]
        elif words[0] == "get":
            words[2] = float(words[2])
        elif "keep" in words[0]:
            words[2] = float(words[2])
        commands.append(words)
        if closing:
            (times, outer), *inner = commands
            commands = outer + [(times, inner)]
    return commands


SCRIPTS = [read(line) for line in PAGE.strip().splitlines()]


def drawn(rng):
    """A right schedule as text: the model runs while it is written."""
    now, model, old, labels, out = 0.0, {}, [], 0, []
    for _ in range(25):
        name = "xyz"[int(rng.random() * 3)]
        ttl = (0.5, 1.0, 2.0, 6.0)[int(rng.random() * 4)]
        label, end = model.get(name, (None, 0.0))
        held = label is not None and now < end
        dice = rng.random()
        if dice < 0.35:
            if held:
                out.append(f"no {name}")
            else:
                labels += 1
                model[name] = f"L{labels}", now + ttl
                old.append((f"L{labels}", name))
                out.append(f"get {name} {ttl} as L{labels}")
        elif dice < 0.75 and old:
            label, own = old[-1 - int(rng.random() * min(4, len(old)))]
            name = own if rng.random() < 0.8 else name
            mine = model.get(name, (None, 0.0))[0] == label and now < model[name][1]
            if rng.random() < 0.5:
                out.append(f"{'' if mine else '!'}keep {label}@{name} {ttl}")
                if mine:
                    model[name] = label, now + ttl
            else:
                out.append(f"{'' if mine else '!'}drop {label}@{name}")
                if mine:
                    del model[name]
        else:
            ends = [e for _, e in model.values() if e > now]
            now = max(now, min(ends) - 0.125 * int(rng.random() * 2)) if ends else now + 0.125
            out.append(f"={now}")
    for label, name in old[-3:]:
        out.append(f"!drop {label}@w")
    return "; ".join(out)


def check(make_service, seed):
    rng = random.Random(seed)
    seen = set()
    for script in SCRIPTS:
        Player(make_service, seen, 0.0).play(script)
    for start, names in ((1000.0, {"x": "", "y": " ", "z": "0"}), (0.0, {"x": "Job", "y": "job", "z": "job "}),
                         (5.0, {"x": "q" * 120, "y": "q" * 121, "z": "q" * 120 + "\u00fc"}), (8.0, {"x": "a/b", "y": "a", "z": "b"})):
        for script in SCRIPTS[:11]:
            Player(make_service, seen, start, names).play(script)
    for _ in range(50):
        Player(make_service, seen, 0.0).play(read(drawn(rng)))
    many = Player(make_service, seen, 0.0)
    for i in range(250):
        many.do(["get", f"m{i}", 50.0, "as", f"M{i}"])
    for i in range(250):
        many.do(["no", f"m{i}"])
        many.do(["keep", f"M{i}", 20.0])
    many.do(["=", 19.875])
    for i in range(250):
        many.do(["no", f"m{i}"])
    many.do(["=", 20.0])
    for i in range(250):
        many.do(["!drop", f"M{i}"])
        many.do(["get", f"m{i}", 50.0, "as", f"N{i}"])
