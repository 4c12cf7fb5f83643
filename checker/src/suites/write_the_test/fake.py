"""Tries a learner's FakeClock and FakeLockService. Each function gives None, or says in words what is wrong."""

import _leasehold
from _leasehold_driver import shown
from leasehold import TransportError

_step = _leasehold.step


def _heard(test):
    def run(*args):
        try:
            return test(*args)
        except TransportError:
            return "A call raised TransportError, and neither its request nor its reply was to be lost. A switch counts for the next call only."

    return run


def _grant(service, clock, name, client, ttl):
    """A grant of a free lock, and what is wrong with it."""
    now = clock()
    grant = service.acquire(name, client, ttl)
    if grant is None:
        return None, f"At {now:g} s {name} was free and acquire({name!r}, {client!r}, {ttl:g}) returned None. It has to return a Grant."
    token, fencing, end = grant.ownership_token, grant.fencing_token, grant.expires_at
    if not isinstance(token, str) or not token:
        return grant, f"A grant's ownership_token is a str with something in it; here it is {shown(token)}."
    if not isinstance(fencing, int) or isinstance(fencing, bool):
        return grant, f"A grant's fencing_token is an int; here it is {shown(fencing)}."
    if end != now + ttl:
        return grant, f"A lease of {ttl:g} s that is granted at {now:g} s is over at {now + ttl:g} s; the grant's expires_at says {shown(end)}."
    return grant, None


def _not_released(answer):
    """What is wrong with the answer to a release that had to free the lock."""
    if not answer:
        return f"release with the ownership token of the grant that holds the lock returned {shown(answer)}. It has to free the lock and return True."


@_heard
def clock_moves_only_when_told(FakeClock, FakeLockService):
    clock = FakeClock()
    began = clock()
    if isinstance(began, bool) or not isinstance(began, (int, float)):
        return f"FakeClock()() gives seconds as a number; here it gave {shown(began)}."
    for _ in range(3):
        if clock() != began:
            return f"The clock stood at {began:g} s, nobody moved it, and then it said {clock():g} s. Only advance() moves it."
    clock.advance(2.5)
    clock.advance(0.125)
    clock.advance(0)
    if clock() != began + 2.625:
        return f"After advance(2.5), advance(0.125) and advance(0) a clock that stood at {began:g} s says {clock():g} s, not {began + 2.625:g} s."
    other = FakeClock(100.0)
    if other() != 100.0:
        return f"FakeClock(100.0) starts at {other():g} s."
    other.advance(1.0)
    if clock() != began + 2.625:
        return "Two clocks were made, one was moved, and the other moved with it. Each clock has a time of its own."
    try:
        other.advance(-0.5)
    except ValueError:
        pass
    else:
        return "advance(-0.5) went through. Time does not go back: raise ValueError."
    if other() != 101.0:
        return f"advance(-0.5) raised ValueError as it should, but the clock went from 101 s to {other():g} s all the same."


@_heard
def grants_what_is_free(FakeClock, FakeLockService):
    clock = FakeClock(100.0)
    service = FakeLockService(clock)
    grant, trouble = _grant(service, clock, "job", "a", 10.0)
    if trouble:
        return trouble
    clock.advance(4.0)
    for client in ("b", "a"):
        if service.acquire("job", client, 50.0) is not None:
            return f"Client a holds job from 100 s until 110 s, and at 104 s acquire granted it to client {client}. Return None while it is held, whoever asks."
    _, trouble = _grant(service, clock, "report", "b", 2.0)
    if trouble:
        return f"While job was held: {trouble} Names are independent."
    clock.advance(6.0)
    _, trouble = _grant(service, clock, "job", "b", 10.0)
    if trouble:
        return f"The lease on job ended at 110 s, and the acquires that were refused at 104 s must not change that. {trouble}"
    other = FakeLockService(clock)
    _, trouble = _grant(other, clock, "job", "a", 10.0)
    if trouble:
        return f"Another FakeLockService was made, where nothing is held yet. {trouble} Two services share nothing."
    for switch in ("lose_next_request", "lose_next_reply"):
        one, other = FakeLockService(clock), FakeLockService(clock)
        getattr(one, switch)()
        try:
            other.acquire("job", "a", 10.0)
        except TransportError:
            return f"{switch}() of one FakeLockService was called, and the next acquire of another one raised TransportError. Two services share nothing, switches neither."


@_heard
def ends_leases_at_their_expiry(FakeClock, FakeLockService):
    for ttl in (10.0, 0.5, 3600.0, 7):
        clock = FakeClock()
        service = FakeLockService(clock)
        for round in range(2):
            grant, trouble = _grant(service, clock, "job", "a", ttl)
            if trouble:
                return trouble
            clock.advance(ttl - 0.125)
            if service.acquire("job", "b", ttl) is not None:
                return f"A lease of {ttl:g} s runs, {ttl - 0.125:g} s of it have passed, and acquire granted the lock to another client."
            clock.advance(0.125)
            if answer := service.renew("job", grant.ownership_token, ttl):
                return f"A lease of {ttl:g} s was granted, exactly {ttl:g} s passed, and renew returned {shown(answer)}. At its expiry a lease is over."
            if answer := service.release("job", grant.ownership_token):
                return f"A lease of {ttl:g} s was granted, exactly {ttl:g} s passed, and release returned {shown(answer)}. At its expiry a lease is over."


@_heard
def fencing_tokens_grow(FakeClock, FakeLockService):
    clock = FakeClock()
    service = FakeLockService(clock)
    last = None
    how = "the first grant"
    for round in range(120):
        name = ("job", "report", "cache")[round * 7 % 3]
        grant, trouble = _grant(service, clock, name, "ab"[round % 2], 5.0)
        if trouble:
            return trouble
        if last is not None and grant.fencing_token <= last:
            return f"The fencing token {grant.fencing_token} was granted after {last}: {how}. Each is greater than all before it, whatever the name and however the grant before it ended."
        last = grant.fencing_token
        if round % 2:
            clock.advance(5.0)
            how = "in between, the lease ran out"
        else:
            trouble = _not_released(service.release(name, grant.ownership_token))
            if trouble:
                return trouble
            how = "in between, the lock was released"


@_heard
def ownership_tokens_are_drawn(FakeClock, FakeLockService):
    clock = FakeClock()
    seen = {}
    for nth in (1, 2):
        service = FakeLockService(clock)
        for round in range(40):
            name, client = ("job", "report")[round % 2], "ab"[round // 2 % 2]
            grant, trouble = _grant(service, clock, name, client, 5.0)
            if trouble:
                return trouble
            token = grant.ownership_token
            if token in seen:
                where = "the same service" if seen[token] == nth else "two services"
                return f"The ownership token {shown(token)} was handed out twice, by {where}. Draw a new one for each grant, with secrets, uuid or random."
            seen[token] = nth
            trouble = _not_released(service.release(name, token))
            if trouble:
                return trouble


@_heard
def renews_only_the_grant_that_holds(FakeClock, FakeLockService):
    clock = FakeClock()
    service = FakeLockService(clock)
    first, trouble = _grant(service, clock, "job", "a", 10.0)
    other, more = _grant(service, clock, "report", "a", 100.0)
    if trouble or more:
        return trouble or more
    tokens = first.ownership_token, first.fencing_token
    mine = "".join(list(first.ownership_token))
    clock.advance(4.0)
    for wrong in (other.ownership_token, "no token", mine + "x", mine[:-1]):
        if answer := service.renew("job", wrong, 50.0):
            return f"renew returned {shown(answer)} for a token that is not that of the grant which holds the lock. It has to return False."
    if not (answer := service.renew("job", mine, 8.0)):
        return f"A lease of 10 s was granted at 0 s; at 4 s renew with its ownership token (an equal str) returned {shown(answer)}. It has to return True."
    clock.advance(7.875)
    if service.acquire("job", "b", 1.0) is not None:
        return "A lease was renewed at 4 s for 8 s, and at 11.875 s acquire granted the lock to another client. A renewal sets the end to now plus ttl: 12 s."
    if not (answer := service.renew("job", mine, 1.0)):
        return f"A lease was renewed at 4 s for 8 s, and at 11.875 s a second renew returned {shown(answer)}. The token stays the same."
    if (first.ownership_token, first.fencing_token) != tokens:
        return "A renewal changed the grant's tokens. It is no new grant: both stay."
    clock.advance(1.0)
    if service.renew("job", mine, 10.0):
        return "A lease was renewed at 11.875 s for 1 s, and at 12.875 s, when it was over, renew returned True. A renewal sets the end, also to an earlier one, and revives nothing."
    second, trouble = _grant(service, clock, "job", "a", 10.0)
    if trouble:
        return f"A lease was renewed at 11.875 s for 1 s, so it ended at 12.875 s, and a renew came too late. {trouble}"
    if service.renew("job", mine, 90.0):
        return "renew with the token of an old grant, of the same client, returned True while a newer grant held the lock."
    clock.advance(10.0)
    _, trouble = _grant(service, clock, "job", "b", 10.0)
    if trouble:
        return f"A renew with an old token came in between and must change nothing. {trouble}"
    if service.renew("nothing", mine, 1.0):
        return "renew of a name that was never granted returned True."


@_heard
def releases_only_the_grant_that_holds(FakeClock, FakeLockService):
    clock = FakeClock()
    service = FakeLockService(clock)
    first, trouble = _grant(service, clock, "job", "a", 10.0)
    other, more = _grant(service, clock, "report", "a", 100.0)
    if trouble or more:
        return trouble or more
    mine = "".join(list(first.ownership_token))
    for wrong in (other.ownership_token, "no token", mine + "x", mine[:-1]):
        if answer := service.release("job", wrong):
            return f"release returned {shown(answer)} for a token that is not that of the grant which holds the lock. It has to return False."
    if service.acquire("job", "b", 1.0) is not None:
        return "release came with a wrong token, and then the lock was free. It has to change nothing."
    if not (answer := service.release("job", mine)):
        return f"release with the ownership token (an equal str) of the grant that holds the lock returned {shown(answer)}. It has to return True."
    if service.release("job", mine):
        return "The same grant was released twice, and both times release returned True. The second time there is nothing to free."
    second, trouble = _grant(service, clock, "job", "a", 10.0)
    if trouble:
        return f"The lock was released. {trouble}"
    if service.release("job", mine) or service.acquire("job", "b", 1.0) is not None:
        return "A release with the token of an old grant, of the same client, ended a newer grant. Compare tokens, not clients."
    if service.acquire("report", "b", 1.0) is not None:
        return "job was released, and then report was free, too. Names are independent."
    if service.release("nothing", mine):
        return "release of a name that was never granted returned True."


def _lost(call, *args):
    """None if it raises TransportError, as it should; otherwise what it did."""
    try:
        answer = call(*args)
    except TransportError:
        return None
    except Exception as error:
        return f"raised {type(error).__name__}"
    return f"returned {shown(answer)}"


def _after_a_loss(FakeClock, FakeLockService, switch):
    """What a lost call must not touch: the row of fencing tokens, and locks of other names."""
    lost = "request" if switch == "lose_next_request" else "reply"
    clock = FakeClock()
    service = FakeLockService(clock)
    held = {}
    last = None
    for name in ("report", "cache", "mail"):
        held[name], trouble = _grant(service, clock, name, "a", 1000.0)
        if trouble:
            return trouble
        last = held[name].fencing_token
    for round in range(5):
        grant, trouble = _grant(service, clock, "job", "b", 10.0)
        if trouble:
            return trouble
        if grant.fencing_token <= last:
            return f"The {lost} of a call was lost, and the next grant's fencing token is {grant.fencing_token}, after {last}. Each is greater than all before it; a lost {lost} does not start them over."
        last = grant.fencing_token
        token = grant.ownership_token
        # In the last round nothing is lost.
        for verb, args in (("acquire", ("job", "b", 10.0)), ("acquire", ("desk", "b", 10.0)), ("renew", ("job", token, 10.0)),
                           ("release", ("job", token)))[round:round + 1]:
            getattr(service, switch)()
            did = _lost(getattr(service, verb), *args)
            if did:
                return f"After {switch}(), {verb} {did}. It has to raise TransportError."
            for name in held:
                if service.acquire(name, "b", 1000.0) is not None:
                    return f"Client a held {name}, the {lost} of a call of {verb} about {args[0]} was lost, and then client b got {name}. A lost {lost} does nothing to locks of other names."
        clock.advance(10.0)
    for name in held:
        if not service.renew(name, held[name].ownership_token, 1000.0):
            return f"Client a held {name}, the {lost} of calls about other names was lost, and then renew of {name} with its own token was refused."


@_heard
def a_lost_request_changes_nothing(FakeClock, FakeLockService):
    clock = FakeClock()
    service = FakeLockService(clock)
    service.lose_next_request()
    did = _lost(service.acquire, "job", "a", 10.0)
    if did:
        return f"After lose_next_request(), acquire {did}. It has to raise TransportError (from leasehold)."
    grant, trouble = _grant(service, clock, "job", "b", 10.0)
    if trouble:
        return f"The request of an acquire was lost, so the service never heard of it. {trouble} Only the next call is lost, too."
    token = grant.ownership_token
    clock.advance(4.0)
    service.lose_next_request()
    did = _lost(service.renew, "job", token, 90.0)
    if did:
        return f"After lose_next_request(), renew {did}. It has to raise TransportError."
    service.lose_next_request()
    did = _lost(service.release, "job", token)
    if did:
        return f"After lose_next_request(), release {did}. It has to raise TransportError."
    if service.acquire("job", "a", 10.0) is not None:
        return "The request of a release was lost, and the lock was free all the same. The service never heard of it."
    clock.advance(6.0)
    _, trouble = _grant(service, clock, "job", "a", 10.0)
    if trouble:
        return f"The request of a renew was lost, so the lease ended when it would have. {trouble}"
    return _after_a_loss(FakeClock, FakeLockService, "lose_next_request")


@_heard
def a_lost_reply_is_done_all_the_same(FakeClock, FakeLockService):
    clock = FakeClock()
    service = FakeLockService(clock)
    service.lose_next_reply()
    did = _lost(service.acquire, "job", "a", 10.0)
    if did:
        return f"After lose_next_reply(), acquire {did}. It has to do its work and then raise TransportError (from leasehold)."
    if service.acquire("job", "b", 1.0) is not None:
        return "Only the reply of client a's acquire was lost: it was granted, and yet client b got the lock."
    for verb, args in (("acquire", ("job", "b", 1.0)), ("renew", ("job", "no token", 1.0)), ("release", ("job", "no token"))):
        service.lose_next_reply()
        did = _lost(getattr(service, verb), *args)
        if did:
            return f"After lose_next_reply(), {verb} had to refuse, and {did}. The reply is lost whatever it says: raise TransportError."
    clock.advance(10.0)
    grant, trouble = _grant(service, clock, "job", "b", 10.0)
    if trouble:
        return f"The lease whose reply was lost ended at 10 s. {trouble}"
    token = grant.ownership_token
    clock.advance(5.0)
    service.lose_next_reply()
    did = _lost(service.renew, "job", token, 20.0)
    if did:
        return f"After lose_next_reply(), renew {did}. It has to do its work and then raise TransportError."
    clock.advance(19.875)
    if service.acquire("job", "a", 1.0) is not None:
        return "Only the reply of a renew was lost: the lease goes on until 35 s, and yet at 34.875 s another client got the lock."
    service.lose_next_reply()
    did = _lost(service.release, "job", token)
    if did:
        return f"After lose_next_reply(), release {did}. It has to do its work and then raise TransportError."
    if service.release("job", token):
        return "The reply of a release was lost, but it was done; and yet the same token could release once more."
    _, trouble = _grant(service, clock, "job", "a", 10.0)
    if trouble:
        return f"The reply of a release was lost, but it was done. {trouble}"
    return _after_a_loss(FakeClock, FakeLockService, "lose_next_reply")


_LENGTHS = (0.5, 1.0, 2.0, 2.5, 10.0)


@_heard
def agrees_with_a_right_service(FakeClock, FakeLockService, make_right):
    """The same calls to the fake and to a right service, many times over."""
    state = 11

    def below(n):
        nonlocal state
        state, drawn = _step(state)
        return drawn % n

    for _ in range(60):
        clock = FakeClock()
        fake, right = FakeLockService(clock), make_right(clock)
        grants = []
        told = []
        for _ in range(25):
            now = clock()
            name = ("job", "report")[below(2)]
            kind = below(5)
            if kind == 0 or not grants:
                client, ttl = "ab"[below(2)], _LENGTHS[below(5)]
                got, want = fake.acquire(name, client, ttl), right.acquire(name, client, ttl)
                told.append(f"{now:g} s: acquire({name!r}, {client!r}, {ttl:g})")
                if (got is None) != (want is None):
                    return _story(told, "refused" if got is None else "granted", "a grant" if got is None else "None")
                if got is not None:
                    grants.append((name, got, want))
            elif kind < 3:
                of, got, want = grants[-1 - below(min(4, len(grants)))]
                at = of if below(4) else name
                ttl = _LENGTHS[below(5)]
                which = f"token of the grant of {of!r} until {want.expires_at:g} s"
                if kind == 1:
                    told.append(f"{now:g} s: renew({at!r}, <{which}>, {ttl:g})")
                    got, want = fake.renew(at, got.ownership_token, ttl), right.renew(at, want.ownership_token, ttl)
                else:
                    told.append(f"{now:g} s: release({at!r}, <{which}>)")
                    got, want = fake.release(at, got.ownership_token), right.release(at, want.ownership_token)
                if bool(got) != want:
                    return _story(told, f"returned {shown(got)}", repr(want))
            else:
                clock.advance((0.5, 1.0, 0.125, 2.0)[below(4)])


def _story(told, did, want):
    calls = "\n".join(f"  {line}" for line in told[-8:])
    more = f"After {len(told) - 8} calls, and then" if len(told) > 8 else "After"
    return f"The fake and a right service disagree. {more}\n{calls}\nthe fake {did}; the contract asks for {want}."
