import secrets

from leasehold import TransportError


class Lease:
    """What acquire() gives. You may change this class: only valid_until is looked at."""

    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until


class Redlock:
    """A lock that several nodes make together: whoever has more than half of them has the lock.

    `nodes`: a list of one or more nodes that know nothing of each other. Each keeps one ownership
    token under a name until its time is over:

    - `await node.acquire(name, ownership_token, ttl)` returns True if the node keeps your token from
      now on, for `ttl` seconds, counted by the node's own clock from when it gets the request. It
      returns False if there is a token under this name already, be it one of your own. A token is a
      text that is not empty.
    - `await node.release(name, ownership_token)` removes the token if it is this very one, and returns
      True. Otherwise it returns False and changes nothing.

    When no answer came for half a second they raise TransportError. Then nobody knows whether it was
    done. A node may be slow, or down for good.

    `clock`: `clock()` is this process's monotonic clock in seconds, a float.

    `drift_factor`: while `ttl` seconds pass on this clock, the clock of a node may get
    `drift = drift_factor * ttl` seconds ahead of it, and no more. For example 0.02.
    """

    def __init__(self, nodes, clock, drift_factor):
        self._nodes = nodes
        self._clock = clock
        self._drift_factor = drift_factor

    async def acquire(self, name, ttl):
        """Try once to get the lock called `name`. Return a lease, or None.

        Draw an ownership token: random, and new for each call. Ask the nodes to keep it for the whole
        `ttl`: one after the other in any order, or all at once (`from leasehold import spawn`). Ask no
        node twice, and none after this has returned. You may stop asking, or waiting, as soon as it is
        decided whether there will be a majority, and not before: until then wait for each node's
        answer or TransportError.

        Return a lease if more than half of *all* nodes have answered True, and usable > 0:

            usable = ttl - (t2 - t1) - drift

        with `t1` read from the clock before the first request and `t2` when the majority had answered.
        Its attribute `valid_until` is the end of that time on the same clock, `t2 + usable`: not
        later than a majority of the nodes is sure to keep the token, and not yet over when this
        returns. (A few milliseconds less are fine.)

        Otherwise return None. Before that, call `release` on all nodes, also on those that did not
        answer; only nodes that have answered False may be left out.

        A node that does not answer is no error: nothing is raised. Tasks may use one Redlock at the
        same time, for different names.
        """
        # Nearly right, on a day on which every node works and nothing takes long.
        ownership_token = secrets.token_hex(8)
        granted = 0
        for node in self._nodes:
            if await node.acquire(name, ownership_token, ttl):
                granted += 1
        if granted >= len(self._nodes) / 2:
            return Lease(name, ownership_token, self._clock() + ttl)
        return None

    async def release(self, lease):
        """Give back a lease that acquire() gave, and nothing else.

        Call `release` on all nodes, whatever they answered to acquire(), and whatever others answer
        now, and then return; only nodes that have answered False to acquire(), or were never asked,
        may be left out. Nothing is raised, also when this is called again. What it returns is left
        open, and whether it does anything once `valid_until` has passed.
        """
        for node in self._nodes:
            await node.release(lease.name, lease.ownership_token)
