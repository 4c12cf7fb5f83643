class Renewer:
    """Keeps one lease alive while its holder works, and tells when it is lost.

    A renewer is Held from the start. It ends as Released (by stop) or as
    Lost, and both are for good.

    `service`: `await service.renew(name, ownership_token, ttl)` returns True
    if the lease now runs for `ttl` seconds, counted by the service from when
    it got the request; False if this grant is over. When no answer came
    within 1 second it raises TransportError (`from leasehold import
    TransportError`); then nobody knows whether the lease was renewed.

    `clock`: `clock()` is the process's monotonic clock in seconds, a float.
    `await clock.sleep(seconds)` lets time pass.

    `grant`: has `name`, `ownership_token` and `ttl`.

    `asked_at`: what `clock()` said just before the grant was asked for. So
    the lease is sure to run until `asked_at + grant.ttl`, its first deadline,
    and no longer. A renewal that succeeds moves the deadline likewise: to
    `grant.ttl` after the moment just before that renewal was sent.

    `on_lost`: a function without arguments. Only run() calls it, or a task
    that run() spawned (`from leasehold import spawn`).
    """

    def __init__(self, service, clock, grant, asked_at, on_lost):
        self._service = service
        self._clock = clock
        self._grant = grant
        self._asked_at = asked_at
        self._on_lost = on_lost
        self._state = "held"

    async def run(self):
        """Renew until the lease is lost or stop() was called, then return.

        The application spawns this as a task, once. Between two renewals
        let a third of the ttl pass, up to a tenth of that more or less,
        drawn anew each time. (Don't poll: more than a dozen steps in a ttl
        are too many.) Always renew for `grant.ttl`.

        The lease is lost
        - at once when a renewal is rejected;
        - at the latest when the deadline passes, whatever the reason, also
          while the answer to a renewal is still to come. Once the deadline
          has passed no renewal is sent any more;
        - earlier only if two or more attempts in a row raised
          TransportError, or in the last second before the deadline. One
          failed attempt must be tried again, no later than after the usual
          pause.

        When it is lost, call on_lost(): once, with is_held() false already.
        After stop() don't call it and don't renew, whatever becomes of a
        renewal that is under way. Return within a ttl of the loss or stop.
        """
        # This is the loop that everybody writes first. It works on a good day.
        while self._state == "held":
            await self._clock.sleep(self._grant.ttl / 3)
            await self._service.renew(self._grant.name, self._grant.ownership_token, self._grant.ttl)

    def stop(self):
        """The work is done: the handle is Released. It may be called before run() has begun.

        After a loss, or another stop(), it does nothing. (If the lease was
        lost when it is called, by its deadline say, and nobody was told yet,
        either is fine: that run() still calls on_lost, or not.)
        """
        if self._state == "held":
            self._state = "released"

    def is_held(self):
        """Whether, as far as this process can know, the lease still runs.

        False from the deadline on, even if no task has had its turn since:
        the process may have been paused. False after stop() and after a
        loss. Until then True, except in the last second before the deadline,
        where either answer will do.
        """
        return self._state == "held"
