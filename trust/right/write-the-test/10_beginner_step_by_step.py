# Beginner's code: one long check with comments, plain loops and plain asserts, the model is three dicts; the random part comes last.
import random
import uuid

from leasehold import TransportError


class FakeClock:
    """A clock that moves only when it is told to."""

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


class FakeLockService:
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0
        # What goes wrong with the next call.
        self._request_gets_lost = False
        self._reply_gets_lost = False

    def acquire(self, name, client_id, ttl):
        # Does the request arrive?
        if self._request_gets_lost:
            self._request_gets_lost = False
            raise TransportError("no answer")
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["end"]:
            answer = None
        else:
            self._counter += 1
            answer = Grant(str(uuid.uuid4()), self._counter, now + ttl)
            self._locks[name] = {"token": answer.ownership_token, "end": now + ttl}
        # Does the reply arrive?
        if self._reply_gets_lost:
            self._reply_gets_lost = False
            raise TransportError("no answer")
        return answer

    def renew(self, name, ownership_token, ttl):
        if self._request_gets_lost:
            self._request_gets_lost = False
            raise TransportError("no answer")
        now = self._clock()
        lock = self._locks.get(name)
        answer = False
        if lock is not None and now < lock["end"] and lock["token"] == ownership_token:
            lock["end"] = now + ttl
            answer = True
        if self._reply_gets_lost:
            self._reply_gets_lost = False
            raise TransportError("no answer")
        return answer

    def release(self, name, ownership_token):
        if self._request_gets_lost:
            self._request_gets_lost = False
            raise TransportError("no answer")
        now = self._clock()
        lock = self._locks.get(name)
        answer = False
        if lock is not None and now < lock["end"] and lock["token"] == ownership_token:
            del self._locks[name]
            answer = True
        if self._reply_gets_lost:
            self._reply_gets_lost = False
            raise TransportError("no answer")
        return answer

    def lose_next_request(self):
        self._request_gets_lost = True

    def lose_next_reply(self):
        self._reply_gets_lost = True


def check(make_service, seed):
    all_tokens = []

    # 1. A lease ends at its end, not before and not after. Short ones, long ones, crooked ones.
    for ttl in [0.1, 0.25, 0.9, 1.0, 2.375, 10.0, 59.0, 61.0, 1000.0, 3700.0, 40000.0, 90000.0, 604800.0]:
        for how in ["acquire", "renew", "release"]:
            clock = FakeClock()
            service = make_service(clock)
            grant = service.acquire("job", "a", ttl)
            assert grant is not None
            assert grant.expires_at == ttl
            token = grant.ownership_token
            all_tokens.append(token)
            fencing = grant.fencing_token
            # just before
            clock.advance(ttl - 0.0625)
            assert service.acquire("job", "a", ttl) is None
            assert service.acquire("job", "b", ttl) is None
            # now
            clock.advance(ttl - clock())
            if how == "renew":
                assert service.renew("job", token, ttl) is False
            if how == "release":
                assert service.release("job", token) is False
            grant = service.acquire("job", "b", ttl)
            assert grant is not None
            assert grant.fencing_token > fencing
            assert grant.ownership_token != token
            all_tokens.append(grant.ownership_token)
            # The old token is worth nothing.
            assert service.renew("job", token, 2 * ttl) is False
            assert service.release("job", token) is False
            assert service.acquire("job", "a", ttl) is None
            # Now with a renewal just before the end.
            token = grant.ownership_token
            clock.advance(ttl - 0.0625)
            assert service.renew("job", token, ttl) is True
            assert service.acquire("job", "a", ttl) is None
            clock.advance(ttl - 0.0625)
            assert service.acquire("job", "a", ttl) is None
            clock.advance(0.125)
            assert service.renew("job", token, ttl) is False
            assert service.release("job", token) is False
            grant = service.acquire("job", "a", ttl)
            assert grant is not None
            all_tokens.append(grant.ownership_token)
            assert service.release("job", grant.ownership_token) is True
            # It is over, and stays over.
            assert service.release("job", grant.ownership_token) is False
            assert service.renew("job", grant.ownership_token, ttl) is False
            grant = service.acquire("job", "a", ttl)
            assert grant is not None
            all_tokens.append(grant.ownership_token)

    # 2. A renewal may make it shorter.
    clock = FakeClock(100.0)
    service = make_service(clock)
    grant = service.acquire("job", "a", 50.0)
    all_tokens.append(grant.ownership_token)
    assert service.renew("job", grant.ownership_token, 2.0) is True
    clock.advance(1.875)
    assert service.acquire("job", "b", 1.0) is None
    clock.advance(0.125)
    assert service.renew("job", grant.ownership_token, 2.0) is False
    second = service.acquire("job", "b", 60.0)
    assert second is not None
    all_tokens.append(second.ownership_token)
    clock.advance(48.0)
    assert service.acquire("job", "a", 60.0) is None
    clock.advance(11.875)
    assert service.acquire("job", "a", 60.0) is None
    clock.advance(0.125)
    third = service.acquire("job", "a", 60.0)
    assert third is not None
    all_tokens.append(third.ownership_token)

    # 3. Many grants, one after the other.
    clock = FakeClock()
    service = make_service(clock)
    fencing = None
    for i in range(1000):
        grant = service.acquire("job", "a", 5.0)
        assert grant is not None
        if fencing is not None:
            assert grant.fencing_token > fencing
        fencing = grant.fencing_token
        all_tokens.append(grant.ownership_token)
        assert service.release("job", grant.ownership_token) is True
    for old in all_tokens[-200:]:
        assert service.renew("job", old, 5.0) is False
        assert service.release("job", old) is False

    # 4. Many names at once, odd ones among them.
    names = ["", " ", "job", "Job", "JOB", "job ", " job", "job-1", "job-11", "jo", "a/b", "a", "b", "\u00e4", "a\u0308"]
    names = names + ["long" * 50 + "1", "long" * 50 + "2"]
    for i in range(250):
        names.append("number " + str(i))
    clock = FakeClock()
    service = make_service(clock)
    tokens = {}
    fencing = None
    for name in names:
        grant = service.acquire(name, "a", 30.0)
        assert grant is not None
        if fencing is not None:
            assert grant.fencing_token > fencing
        fencing = grant.fencing_token
        tokens[name] = grant.ownership_token
        all_tokens.append(grant.ownership_token)
    for name in names:
        assert service.acquire(name, "a", 30.0) is None
        assert service.acquire(name, "b", 30.0) is None
    # the token of the neighbour
    for i in range(len(names)):
        assert service.renew(names[i], tokens[names[i - 1]], 100.0) is False
        assert service.release(names[i], tokens[names[i - 1]]) is False
    clock.advance(10.0)
    # every third is released, every third renewed
    for i in range(len(names)):
        if i % 3 == 0:
            assert service.release(names[i], tokens[names[i]]) is True
        if i % 3 == 1:
            assert service.renew(names[i], tokens[names[i]], 30.0) is True
    clock.advance(19.875)
    for i in range(len(names)):
        if i % 3 != 0:
            assert service.acquire(names[i], "b", 30.0) is None
    clock.advance(0.125)
    for i in range(len(names)):
        grant = service.acquire(names[i], "b", 30.0)
        if i % 3 == 1:
            assert grant is None
        else:
            assert grant is not None
            assert grant.fencing_token > fencing
            fencing = grant.fencing_token
            all_tokens.append(grant.ownership_token)
    clock.advance(9.875)
    for i in range(len(names)):
        if i % 3 == 1:
            assert service.acquire(names[i], "b", 30.0) is None
    clock.advance(0.125)
    for i in range(len(names)):
        if i % 3 == 1:
            assert service.acquire(names[i], "b", 30.0) is not None

    # 5. Ask and ask.
    clock = FakeClock()
    service = make_service(clock)
    grant = service.acquire("job", "a", 100.0)
    token = grant.ownership_token
    all_tokens.append(token)
    for i in range(400):
        assert service.acquire("job", "b", 1000.0) is None
        assert service.acquire("job", "a", 1.0) is None
        assert service.renew("job", "guess", 1000.0) is False
        assert service.release("job", "guess") is False
    clock.advance(99.875)
    assert service.acquire("job", "b", 1000.0) is None
    clock.advance(0.125)
    grant = service.acquire("job", "b", 2.0)
    assert grant is not None
    token = grant.ownership_token
    all_tokens.append(token)
    # Renew and renew.
    for i in range(300):
        clock.advance(1.875)
        assert service.renew("job", token, 2.0) is True
    clock.advance(1.875)
    assert service.acquire("job", "a", 2.0) is None
    clock.advance(0.125)
    assert service.renew("job", token, 2.0) is False
    assert service.acquire("job", "a", 2.0) is not None

    # 6. Long rests.
    clock = FakeClock()
    service = make_service(clock)
    fencing = None
    tokens_of_this_one = []
    for rest in [10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0, 10000000.0]:
        for token in tokens_of_this_one:
            assert service.renew("job", token, 1.0) is False
            assert service.release("job", token) is False
        grant = service.acquire("job", "a", 1.0)
        assert grant is not None
        if fencing is not None:
            assert grant.fencing_token > fencing
        fencing = grant.fencing_token
        tokens_of_this_one.append(grant.ownership_token)
        all_tokens.append(grant.ownership_token)
        clock.advance(rest)

    # 7. Two services have nothing in common.
    clock = FakeClock()
    for i in range(2):
        one = make_service(clock)
        two = make_service(clock)
        for service in [one, two]:
            grant = service.acquire("job", "a", 1.0)
            assert grant is not None
            all_tokens.append(grant.ownership_token)

    # 8. Now by chance.
    rng = random.Random(seed)
    for game in range(60):
        clock = FakeClock()
        service = make_service(clock)
        token_of = {}
        end_of = {}
        fencing = None
        known = []
        for step in range(22):
            name = "xyz"[int(rng.random() * 3)]
            client = "ab"[int(rng.random() * 2)]
            ttl = [0.5, 1.5, 4.0][int(rng.random() * 3)]
            what = int(rng.random() * 8)
            is_held = name in token_of and clock() < end_of[name]
            if what < 3:
                grant = service.acquire(name, client, ttl)
                if is_held:
                    assert grant is None
                else:
                    assert grant is not None
                    assert grant.expires_at == clock() + ttl
                    if fencing is not None:
                        assert grant.fencing_token > fencing
                    fencing = grant.fencing_token
                    token_of[name] = grant.ownership_token
                    end_of[name] = clock() + ttl
                    known.append(grant.ownership_token)
                    all_tokens.append(grant.ownership_token)
            elif what == 3 or what == 4:
                if known:
                    token = known[-1 - int(rng.random() * min(3, len(known)))]
                    if rng.random() < 0.5 and name in token_of:
                        token = token_of[name]
                    answer = service.renew(name, token, ttl)
                    assert answer is (is_held and token_of[name] == token)
                    if answer:
                        end_of[name] = clock() + ttl
            elif what == 5:
                if known:
                    token = known[-1 - int(rng.random() * min(3, len(known)))]
                    if rng.random() < 0.5 and name in token_of:
                        token = token_of[name]
                    answer = service.release(name, token)
                    assert answer is (is_held and token_of[name] == token)
                    if answer:
                        del token_of[name]
            else:
                # To the next end, or just before it, or a little on.
                ends = [end_of[n] for n in token_of if end_of[n] > clock()]
                if ends:
                    step = min(ends) - clock() - 0.125 * int(rng.random() * 2)
                    clock.advance(max(step, 0.0))
                else:
                    clock.advance(0.125)

    # 9. No ownership token came twice.
    assert len(set(all_tokens)) == len(all_tokens)
    for token in all_tokens:
        assert isinstance(token, str)
