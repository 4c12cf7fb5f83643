"""A fake lock service, and a test that tells right lock services from wrong ones.

The contract. A lock service is made with a clock, which it calls for the time
in seconds; the clock never goes backwards. It has three methods:

    acquire(name, client_id, ttl) -> grant or None
        If the lock `name` is free, grant it for `ttl` seconds. The grant has
        - ownership_token: a str drawn at random, for each grant another one,
          whoever asks and whatever service it is (two services never hand
          out the same);
        - fencing_token: an int greater than that of every grant before it
          by this service, whatever the name;
        - expires_at: the clock's time at which the lease, as granted, is
          over: now + ttl.
        If the lock is held, by `client_id` itself or by another client,
        return None and change nothing that anybody can see.
    renew(name, ownership_token, ttl) -> bool
        If the token is that of the grant that holds `name` at this moment,
        let its lease end `ttl` seconds from now (later or sooner than
        before) and return True. Both tokens stay. Otherwise return False
        and change nothing.
    release(name, ownership_token) -> bool
        If the token is that of the grant that holds `name` at this moment,
        free the lock and return True. Otherwise return False and change
        nothing.

A lease is over as soon as the clock reaches its end: at that very instant the
lock is free, and neither renew nor release knows the grant any more. A grant
that has ended, by whatever way, stays ended. Names have nothing to do with
each other, except that they share one row of fencing tokens.

Names and client ids are str. There may be many of each, any number of grants,
and a ttl may be a tenth of a second or a week.

Left open, so a right service may do it one way or another: which ints fencing
tokens are (negative, 0 and huge ones too) and how large the steps between
them; whether a refused acquire uses one up; how ownership tokens look; of
which class a grant is; whether a renewal changes expires_at of the grant that
was handed out; what happens if a ttl is 0, negative, NaN or infinite. So read the
three attributes of a grant and nothing else of it.
"""
import random
import secrets

from leasehold import TransportError


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start=0.0):
        self._now = start

    def __call__(self):
        """The time in seconds."""
        return self._now

    def advance(self, seconds):
        """Let so many seconds pass. Negative ones are a ValueError and change nothing."""
        if seconds < 0:
            raise ValueError("time does not go back")
        self._now += seconds


class Grant:
    def __init__(self, ownership_token, fencing_token, expires_at):
        self.ownership_token = ownership_token
        self.fencing_token = fencing_token
        self.expires_at = expires_at


class FakeLockService:
    """A lock service in memory that keeps the contract, and can be told to fail."""

    def __init__(self, clock):
        self._clock = clock
        self._locks = {}    # name -> {"grant": Grant, "end": ...}
        self._counter = 0   # the last fencing token that was handed out

    def acquire(self, name, client_id, ttl):
        """See the contract."""
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["end"]:
            return None
        self._counter += 1
        grant = Grant(secrets.token_hex(16), self._counter, now + ttl)
        self._locks[name] = {"grant": grant, "end": now + ttl}
        return grant

    def renew(self, name, ownership_token, ttl):
        """See the contract."""
        # Your code goes here.
        return False

    def release(self, name, ownership_token):
        """See the contract."""
        # And here.
        return False

    def lose_next_request(self):
        """The next call of acquire, renew or release does not arrive.

        It changes nothing and raises TransportError. The calls after it go
        on as usual. (What happens if this or lose_next_reply is called again
        before that next call is left open.)
        """
        # And here.

    def lose_next_reply(self):
        """The answer to the next call of acquire, renew or release is lost.

        The call is done, and then raises TransportError in place of its
        answer, whatever that would have been.
        """
        # And here.


def check(make_service, seed):
    """Raise an AssertionError if the services that make_service makes are wrong.

    `make_service(clock)` makes a new lock service with nothing held. `clock`
    is whatever you like to use for a clock, a FakeClock for instance; it must
    not go backwards. Make as many services as you want. They have the three
    methods of the contract and nothing else: they can't be told to fail, and
    a copy of one is the same service.

    Return without an exception if you find nothing wrong. Any exception
    counts as a complaint; what is returned does not count.

    `seed` is an int: with the same seed make the same calls, so draw what
    you draw from random.Random(seed). The suite calls check with two seeds,
    and a wrong service has to be caught with both. One call of check may take
    150,000 loop rounds and function calls, those in `random` included: that is
    room for some thousands of calls of a service and of a model beside it.
    With your own fake it may take four times as many.
    """
    # Far from enough: one schedule, and only what everybody thinks of.
    clock = FakeClock()
    service = make_service(clock)
    first = service.acquire("job", "a", 10.0)
    assert first is not None, "a free lock was not granted"
    assert service.acquire("job", "b", 10.0) is None, "a held lock was granted"
    clock.advance(11.0)
    second = service.acquire("job", "b", 10.0)
    assert second is not None, "the lease did not end"
