"""The application around a learner's LockHandle: takes the lock, works, renews, gives it back, and looks all the time
whether the handle is in the state in which it must be, given what this process was told."""

import _leasehold
from _leasehold_driver import Shows, awaited, broke
from leasehold import BadRequest, Cancelled, Clock, LockService, TransportError, spawn

note = _leasehold.note
TTL = 10.0
# Long enough for every answer that is under way.
A_WHILE = 2.0
TICK = 1 / 64
STATES = ("acquiring", "held", "lost", "released")
# Slips of the pen. They are shown as they are, with their line.
SLIPS = (AttributeError, ImportError, NameError, TypeError)


def at(seconds):
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + " s"


class Service(LockService):
    """The lock service as the handle gets it. It tells the application what it was asked and what it answered."""

    __slots__ = ("app",)

    async def acquire(self, name, ttl):
        app = self.app
        app.asks("acquire", (name, ttl), (app.name, app.ttl))
        if app.again:
            broke("used once", "A second acquire() asked the service. A handle is used once: raise RuntimeError at once.")
        elif app.asked is not None:
            broke("one try", "acquire() asked the service a second time. It tries once; waiting is for the application "
                  "(and for another kata).")
        app.asked = app.clock()
        try:
            grant = await LockService.acquire(self, name, ttl)
        except BaseException as error:
            app.answer = error
            raise
        app.answer, app.grant = "refused", grant
        if grant is not None:
            app.answer = "granted"
            app.deadline = app.sure = app.asked + app.ttl
            app.came_late = app.clock() >= app.deadline
        return grant

    async def renew(self, name, ownership_token, ttl):
        app = self.app
        app.asks("renew", (name, ownership_token, ttl), (app.name, app.token(), app.ttl))
        sent = app.clock()
        if sent >= app.deadline:
            broke("lost without asking", f"At {at(sent)} a renewal was sent, but the lease was sure to run only until "
                  f"{at(app.deadline)}. Look at the clock before you ask: past the deadline the handle is lost.")
        try:
            renewed = await LockService.renew(self, name, ownership_token, ttl)
        except TransportError:
            app.renewals.append(("failed" if app.clock() < app.deadline else "failed too late", sent))
            raise
        if not renewed:
            app.renewals.append(("rejected", sent))
        elif app.clock() >= app.deadline:
            app.renewals.append(("late", sent))
        else:
            app.renewals.append(("renewed", sent))
            app.deadline = max(app.deadline, sent + ttl)
        return renewed

    async def release(self, name, ownership_token):
        app = self.app
        app.asks("release", (name, ownership_token), (app.name, app.token()))
        app.releases.append("sent")
        try:
            freed = await LockService.release(self, name, ownership_token)
        except TransportError:
            app.releases.append("failed")
            raise
        app.releases.append("freed" if freed else "rejected")
        return freed


class Application:
    """What uses one handle, and what it knows of it.

    `phase` is the state in which the handle must be; "either" where lost and released are both right.
    """

    def __init__(self, solution, ttl=TTL, name="job", is_told=True):
        self.clock = Clock()
        self.service = Service()
        self.service.app = self
        self.name = name
        self.ttl = ttl
        self.is_told = is_told
        self.refusal = solution["NotAcquired"]
        # What the service was asked for and said.
        self.asked = None
        self.answer = None
        self.grant = None
        self.came_late = False
        self.renewals = []
        self.releases = []
        # The lease runs until `sure` by all that methods have returned, and until `deadline` by all that was answered.
        self.deadline = self.sure = 0.0
        # What became of the handle.
        self.phase = "acquiring"
        self.began = self.again = False
        self.given_up = False
        self.busy = 0
        self.told = 0
        self.was_held = False
        self.inside = None
        # What the handle shows, and whether release() was called or a block has ended.
        self.shows = Shows(name)
        self.has_left = False
        note("handle", name)
        arguments = (self.service, self.clock, name, ttl) + ((self.on_lost,) if is_told else ())
        self.handle = solution["LockHandle"](*arguments)
        self.look()

    # --- what it hears ------------------------------------------------------------------------------------------

    def token(self):
        return None if self.grant is None else self.grant.ownership_token

    def asks(self, verb, given, right):
        if given != right:
            broke("right call", f"service.{verb}{given!r} was called. For this handle it is {verb}{right!r}.")
        if self.inside is not None:
            broke("only looks", f"{self.inside} asked the service: {verb}().")

    def on_lost(self):
        now = self.clock()
        note("says", "on_lost() is called")
        self.told += 1
        if self.inside is not None:
            broke("only looks", f"on_lost() was called from within {self.inside}, which only looks. It is renew() or "
                  "release() that finds out and tells.")
        if self.told > 1:
            broke("told once", f"At {at(now)} on_lost() was called a second time. A handle is lost once: act only on the "
                  "way from held to lost.")
        elif self.phase == "acquiring" or not self.was_held and self.phase == "released":
            broke("told of a loss", f"At {at(now)} on_lost() was called for a handle that was never held. What was never "
                  "held can't be lost.")
        elif self.phase == "released":
            broke("told of a loss", f"At {at(now)} on_lost() was called, after release(). A handle that was released is "
                  "not lost, whatever is answered later.")
        elif now < self.sure and not any(kind == "rejected" for kind, _ in self.renewals):
            broke("needless loss", f"At {at(now)} on_lost() was called, although no renewal was rejected and the lease was "
                  f"sure to run until {at(self.sure)}.")
        state = self.read_state()
        if state != "lost":
            broke("noted first", f"At {at(now)} on_lost() was called while state was {state}. Note the loss first, then tell "
                  "it: whoever hears of it may look at the handle.")
        self.ends("lost")
        self.look()

    def ends(self, phase):
        if self.phase in ("held", "either"):
            self.believes(False)
        self.phase = phase
        note("over", phase)

    def believes(self, holds):
        note("believes", {"name": self.name, "token": self.grant.fencing_token, "holds": holds})

    # --- what it sees -------------------------------------------------------------------------------------------

    def read_state(self):
        before, self.inside = self.inside, "reading state"
        state = self.handle.state
        self.inside = before
        if state not in STATES:
            broke("state", f"state was {state!r}. It is one of {', '.join(map(repr, STATES))}.")
        elif state != self.shows.state:
            self.shows.goes(state, self.because(state))
        return state

    def because(self, state):
        """What this process knows of why the handle has come to this state."""
        kinds = {kind for kind, _ in self.renewals}
        if state == "held":
            if self.shows.state == "acquiring":
                return "the service granted the lock"
            return "a renewal came through" if kinds & {"renewed", "late"} else "its state says so"
        if state == "lost":
            if "rejected" in kinds:
                return "a renewal was rejected"
            over = self.grant is not None and self.clock() >= self.deadline
            return "its deadline has passed" if over else "nothing is known to have gone wrong with it"
        if self.has_left:
            return "release() was called"
        if isinstance(self.answer, BaseException):
            return f"acquire() ended with {type(self.answer).__name__}"
        if self.answer == "refused":
            return "the service refused"
        return "the grant came too late" if self.came_late else "release() was not called"

    def look(self):
        """Holds state, is_held() and fencing_token against what this process knows."""
        state = self.read_state()
        self.inside = "is_held()"
        held = self.handle.is_held()
        self.inside = None
        now, phase = self.clock(), self.phase
        if phase == "acquiring" and self.answer is not None or phase == "either":
            # The answer is there and the method has not returned: it may have been noted or not.
            return
        if phase == "held":
            self.look_at_held(state, held, now)
        elif state != phase:
            broke("state", f"At {at(now)} state was {state}. {self.why()}")
        elif held:
            broke("not held", f"At {at(now)} is_held() was true of a handle that is {state}.")
        token = self.handle.fencing_token
        if self.was_held and token != self.grant.fencing_token:
            broke("fencing token", f"At {at(now)}, state {state}, fencing_token was {token!r} and not the grant's, "
                  f"{self.grant.fencing_token}. It stays when the handle is over: a write that comes too late has to show "
                  "the old one to be rejected.")
        elif not self.was_held and token is not None:
            when = "before anything was granted" if phase == "acquiring" else "of a handle that was never held"
            broke("fencing token", f"fencing_token was {token!r} {when}. It is None then.")

    def look_at_held(self, state, held, now):
        if self.busy and any(kind == "rejected" for kind, _ in self.renewals):
            # The rejection is there and renew() has not returned.
            return
        if now < self.sure:
            if state != "held":
                broke("held is held", f"At {at(now)} state was {state}, although the lock was granted, no renewal was "
                      f"rejected, release() was not called, and the lease was sure to run until {at(self.sure)}.")
            elif not held:
                broke("held is held", f"At {at(now)} is_held() was false, although the lease was sure to run until "
                      f"{at(self.sure)}: {at(self.ttl)} after the last request that succeeded was sent.")
        elif now >= self.deadline:
            if held:
                broke("belief ends", f"At {at(now)} is_held() was true, but the lease was sure to run only until "
                      f"{at(self.deadline)}: {at(self.ttl)} after the last request that succeeded was sent. At that "
                      "instant it is over.")
            elif state not in ("held", "lost"):
                broke("state", f"At {at(now)}, past the deadline of {at(self.deadline)}, state was {state}. Until "
                      "release() is called it is held or lost.")

    def why(self):
        """Why the handle must be in the state in which it must be."""
        if self.phase == "acquiring":
            return "Nothing was granted or refused yet, so it is acquiring."
        if self.phase == "lost":
            return "It was lost before, and lost is for good."
        if self.was_held:
            return ("release() had been called, and from then on it is released, for good: note the end first, then ask. "
                    "The answer may be late or lost, and in the meantime nobody may rely on the lock.")
        if isinstance(self.answer, BaseException):
            problem = type(self.answer).__name__
            return (f"The service's acquire() had ended with {problem}: whether there is a grant is unknown, nobody may "
                    "rely on one, and the handle is released, for good.")
        if self.answer == "refused":
            return "The service had refused, and a handle that was refused is released, for good."
        if self.answer is None and not self.given_up:
            return "acquire() had ended without a grant, and from then on it is released, for good."
        if self.came_late:
            return (f"The grant came when its deadline, {at(self.deadline)}, had passed. Such a handle was never held: it is "
                    "released, for good.")
        return "release() had been called before the lock was granted: it is released, for good."

    # --- what it does -------------------------------------------------------------------------------------------

    async def acquire(self):
        """Whether the lock is held now."""
        if self.began or self.phase != "acquiring":
            return await self.acquire_again()
        note("says", "acquire() is called")
        self.began = True
        value, error = None, None
        try:
            value = await awaited(self.handle.acquire(), "acquire()")
        except (TransportError, BadRequest) as raised:
            error = raised
        except SLIPS:
            raise
        except Exception as raised:
            broke("answers", f"acquire() raised {raised!r}, after the service's answer: {self.said()}. It returns True or "
                  "False, and only an error of the service goes on to the caller.")
        self.acquired(value, error)
        return self.phase == "held"

    def said(self):
        if isinstance(self.answer, BaseException):
            return type(self.answer).__name__
        return self.answer or "none"

    def acquired(self, value, error, name="acquire()"):
        """acquire() has ended, by itself or for a block."""
        now = self.clock()
        given_up = self.given_up
        said = self.said()
        came = f"{name} {'raised ' + type(error).__name__ if error else f'returned {value!r}'}"
        if self.asked is None:
            broke("asks", f"{came} and had not asked the service.")
        elif self.answer is None and not given_up:
            broke("asks", f"{came} before the service had answered.")
        elif isinstance(self.answer, BaseException):
            if error is None and not (given_up and not value):
                broke("unknown", f"{came}, but the service's acquire() had ended with {said}. Whether there is a grant is "
                      "unknown: the error goes on to the caller.")
        elif error is not None:
            broke("answers", f"{came}, but the service had answered: {said}.")
        elif self.answer == "granted" and not given_up and not self.came_late:
            # A pause may have come between the answer and the look at the clock.
            if not value and now < self.deadline:
                broke("granted", f"{came}, but the service had granted the lock: then it is True.")
        elif value:
            why = {"refused": "the service had refused."}.get(self.answer, f"at {at(now)} the grant was of no use: "
                  + ("release() had been called." if given_up else f"its deadline, {at(self.deadline)}, had passed."))
            broke("not held", f"{came}, but {why} Then it is False.")
        if value:
            self.was_held = True
            self.phase = "held"
            self.believes(True)
        elif not given_up:
            self.ends("released")
        self.look()

    async def acquire_again(self):
        """A second acquire(): RuntimeError, and nothing changes."""
        note("says", "acquire() is called again")
        before, self.again = self.read_state(), True
        try:
            value = await awaited(self.handle.acquire(), "acquire()")
        except RuntimeError:
            value = None
        except SLIPS:
            raise
        except Exception as raised:
            broke("used once", f"acquire() was called a second time (state {before}) and raised {raised!r}. It must be a "
                  "RuntimeError (an assert is gone when Python runs with -O).")
        else:
            broke("used once", f"acquire() was called a second time (state {before}) and returned {value!r}. A handle is "
                  "used once: raise RuntimeError.")
        self.again = False
        self.look()
        return False

    async def enter_again(self):
        """`async with` on a handle that is used: RuntimeError, and nothing changes."""
        note("says", "enters async with, on a handle that is used")
        before, sent, self.again = self.read_state(), len(self.releases), True
        said = f"async with began on a handle that was used (state {before})"
        try:
            async with self.handle:
                broke("used once", f"{said}, and its block was run. A handle is used once: acquire() raises RuntimeError, and "
                      "that goes on.")
        except RuntimeError:
            pass
        except SLIPS:
            raise
        except Exception as raised:
            broke("used once", f"{said} and raised {raised!r}. It must be a RuntimeError, as in acquire().")
        self.again = False
        after = self.read_state()
        if len(self.releases) > sent or before == "held" != after or before == "acquiring" and after == "released":
            broke("used once", f"{said} and raised RuntimeError, but it released the handle, which is in use. It changes "
                  "nothing: a block that was not entered has nothing to clean up.")
        self.look()

    async def renew(self):
        """What renew() returned; None if an error went on."""
        phase, start, before = self.phase, self.clock(), len(self.renewals)
        limit = self.deadline
        alone = not self.busy
        note("says", "renew() is called")
        self.busy += 1
        value, error = None, None
        try:
            value = await awaited(self.handle.renew(), "renew()")
        except TransportError as raised:
            error = raised
        except SLIPS:
            raise
        except Exception as raised:
            broke("answers", f"renew() of a handle that was {phase} raised {raised!r}. It returns True or False, and only "
                  "TransportError goes on to the caller.")
        self.busy -= 1
        now = self.clock()
        answers = self.renewals[before:]
        kinds = {kind for kind, _ in answers}
        came = f"At {at(now)} renew() {'raised TransportError' if error else f'returned {value!r}'}"
        if phase != "held":
            self.renewed_over(phase, came, value or error, kinds, alone and now > start)
        elif start >= limit:
            self.renewed_late(f"{came}; it was called at {at(start)}", value or error)
        elif not kinds and (value or self.phase == "held" and now < self.sure):
            broke("asks", f"{came} and had not asked the service.")
        elif error is not None:
            self.renew_failed(came, kinds, now)
        elif value:
            self.renewed(came, kinds, answers)
        else:
            self.not_renewed(came, kinds, now)
        self.look()
        return None if error else bool(value)

    def renewed_over(self, phase, came, gave, kinds, slow):
        if kinds:
            broke("over is over", f"renew() of a handle that was {phase} asked the service. Only a handle that is held may.")
        elif gave:
            broke("over is over", f"{came}, of a handle that was {phase}. It returns False then, at once.")
        elif slow:
            broke("over is over", f"{came}, of a handle that was {phase}, after a while. It returns False at once.")

    def renewed_late(self, came, gave):
        if gave:
            broke("lost without asking", f"{came}, when the deadline, {at(self.deadline)}, had passed. Then the handle is "
                  "lost, and renew() returns False.")
        self.is_lost(f"the deadline, {at(self.deadline)}, had passed")

    def renew_failed(self, came, kinds, now):
        if not kinds & {"failed", "failed too late"}:
            broke("answers", f"{came}, but the service had answered.")
        elif "failed too late" in kinds and self.phase == "held":
            self.is_lost(f"at {at(now)} the deadline, {at(self.deadline)}, had passed")

    def renewed(self, came, kinds, answers):
        if self.phase != "held":
            broke("for good", f"{came}, but the handle was {self.phase} in the meantime, and that is for good. Look at the "
                  "state again after the await: then it is False.")
        elif "late" in kinds and "renewed" not in kinds:
            broke("too late", f"{came}, but the service's answer came when the deadline, {at(self.deadline)}, had passed. "
                  "is_held() was false then, and nothing brings a lease back: the handle is lost.")
        elif "renewed" not in kinds:
            broke("not held", f"{came}, but the service had answered: {', '.join(sorted(kinds))}.")
        self.sure = max([self.sure] + [sent + self.ttl for kind, sent in answers if kind == "renewed"])

    def not_renewed(self, came, kinds, now):
        if self.phase == "held":
            if "rejected" in kinds:
                self.is_lost("the service had rejected a renewal: the grant is over")
            elif now >= self.sure:
                self.is_lost(f"at {at(now)} the deadline, {at(self.sure)}, had passed")
            elif "failed" in kinds:
                broke("unknown", f"{came}, but no answer had come. False says that the lock is lost, and that is not known: "
                      f"until {at(self.sure)} the handle is held. The error goes on to the caller.")
            else:
                broke("held is held", f"{came}, but the service had renewed the lease and the handle is held. Then it is "
                      "True.")

    def is_lost(self, why):
        """renew() or release() has returned and found the handle lost."""
        if self.phase in ("held", "either"):
            state = self.read_state()
            if state != "lost":
                broke("lost", f"state was {state}, although {why}. Then it is lost.")
            elif self.is_told:
                broke("told once", f"on_lost() had not been called, although {why}. It is called once, before the method "
                      "that found out returns.")
            self.ends("lost")

    async def release(self):
        note("says", "release() is called")
        way = self.leaves()
        self.busy += 1
        value, error = None, None
        try:
            value = await awaited(self.handle.release(), "release()")
        except TransportError as raised:
            error = raised
        except SLIPS:
            raise
        except Exception as raised:
            broke("answers", f"release() of a handle that was {way[0]} raised {raised!r}. It returns True or False, and only "
                  "TransportError goes on to the caller.")
        self.busy -= 1
        self.left(way, value, error)

    def leaves(self):
        """The moment at which release() is called, by itself or by a block that ends."""
        phase, now = self.phase, self.clock()
        self.has_left = True
        way = phase, now, len(self.releases), not self.busy
        if phase == "held" and now < self.sure:
            note("releases what is held", self.name)
        if phase == "acquiring" or phase == "held" and now < self.sure:
            self.given_up = phase == "acquiring" and self.began
            self.ends("released")
        elif phase == "held":
            self.phase = "either"
        return way

    def left(self, way, value, error, is_block=False):
        """It has returned."""
        phase, start, before, alone = way
        sent = self.releases[before:]
        came = f"release() {'raised TransportError' if error else f'returned {value!r}'}"
        if is_block:
            came, value = "the block ended", True if "freed" in sent else None
        if phase == "held" and self.phase == "released":
            if not sent:
                broke("gives back", f"{came} and had not asked the service to free the lock, which was held.")
            elif error is None and not is_block:
                answer = sent[-1]
                if answer == "failed":
                    broke("unknown", f"{came}, but no answer had come: whether the lock is free is unknown. The error goes on "
                          "to the caller.")
                elif value and answer != "freed" or not value and answer == "freed":
                    broke("answers", f"{came}, but the service's answer was: {answer}. True says that it freed the lock.")
            elif error is not None and "failed" not in sent:
                broke("answers", f"{came}, but the service had answered: {sent[-1]}.")
        elif phase == "held":
            if start >= self.deadline:
                self.is_lost(f"release() was called at {at(start)}, when the deadline, {at(self.deadline)}, had passed")
            elif self.phase == "either":
                self.ends(self.read_state())
        elif phase == "acquiring":
            if value or error:
                broke("answers", f"{came}, but nothing was held yet: then it is False.")
        elif sent and phase == "lost":
            broke("over is over", "release() of a handle that was lost asked the service. What is over is not released.")
        elif (value or error) and (alone or not self.releases):
            broke("answers", f"{came}, but the handle was {phase} already: then it is False.")
        self.look()

    async def block(self, body, error=None):
        """`async with` around `body`, which may end with an error of its own: `error`, or what it gives."""
        note("says", "enters async with")
        self.began = True
        inside, cut, way, ended = False, False, None, None
        try:
            async with self.handle as given:
                inside = True
                self.acquired(True, None, "the block was entered, so acquire()")
                if given is not self.handle:
                    broke("block", f"async with handle as h gave {given!r}. It gives the handle itself.")
                try:
                    error = await body(self) or error
                except Cancelled:
                    cut = True
                    raise
                note("says", "the block ends" + (f" with {error!r}" if error else ""))
                way = self.leaves()
                if error is not None:
                    raise error
        except self.refusal as raised:
            ended = raised
        except TransportError as raised:
            ended = raised
        except SLIPS:
            raise
        except Exception as raised:
            ended = raised
        if not inside:
            self.not_entered(ended)
            return
        if cut:
            came = f"the caller saw {ended!r} instead" if ended else "async with swallowed that"
            broke("block", f"The block had ended with Cancelled, and {came}. It goes on to the caller, whatever goes wrong with "
                  "the release.")
        if ended is not error:
            if error is None:
                broke("block", f"A block that had ended well raised {ended!r} on leaving. What goes wrong with the release is "
                      "not raised from there: the work is done, and the lease runs out by itself.")
            elif ended is None:
                broke("block", f"The block had ended with {error!r}, and async with swallowed it. It goes on to the caller.")
            else:
                broke("block", f"The block had ended with {error!r}, and the caller saw {ended!r} instead. The error of the "
                      "body goes on, whatever goes wrong with the release.")
        self.left(way, None, None, is_block=True)

    def not_entered(self, ended):
        if isinstance(ended, self.refusal):
            self.acquired(False, None, "the block was not entered: acquire()")
        elif isinstance(ended, TransportError):
            self.acquired(None, ended, "the block was not entered: acquire()")
        else:
            broke("block", f"async with raised {ended!r} before the block, after the service's answer: {self.said()}. Where "
                  "acquire() gives False it raises NotAcquired.")

    async def finish(self, asks_again=False):
        """Whatever comes late comes now, and changes nothing. Of a handle that is over everything may be asked again."""
        await self.clock.sleep(A_WHILE)
        self.look()
        if self.phase == "held":
            await self.release()
        if asks_again:
            await self.renew()
            await self.release()
            await self.acquire_again()
        await self.clock.sleep(TTL)
        self.look()
        if self.answer == "granted" and self.given_up and not self.came_late and not self.releases:
            broke("given back", "The lock was granted to a handle that had been released while the request was under way, "
                  "and the grant was not given back: it stands in everybody's way until it runs out.")


async def holder(seconds):
    """B has the lock, and nothing goes wrong with it."""
    service = LockService()
    grant = await service.acquire("job", TTL)
    await Clock().sleep(seconds)
    await service.release("job", grant.ownership_token)


async def free_it(app):
    """Somebody frees the lock behind the holder's back."""
    note("says", "an operator frees the lock by hand")
    note("by hand", app.name)
    await LockService().release(app.name, app.grant.ownership_token)


async def renews(app, pauses):
    """Renews after each of the pauses, as long as the lock is held. After an error once more, a little later."""
    for pause in pauses:
        await app.clock.sleep(pause)
        app.look()
        if app.phase != "held":
            return
        if await app.renew() is None:
            await app.clock.sleep(pause / 4)
            await app.renew()


async def held(solution, **options):
    """An application whose handle is held."""
    app = Application(solution, **options)
    await app.acquire()
    return app


# --- what the search goes through -------------------------------------------------------------------------------


async def work(client, solution, asks_again=True):
    """One client works in a block for 8 s and renews twice."""
    app = Application(solution)

    async def body(app):
        await renews(app, (3.0, 3.0))
        await app.clock.sleep(2.0)
        app.look()

    await app.block(body)
    await app.finish(asks_again)


async def crossing(client, solution):
    """Two tasks use one handle: while one renews, the other releases."""
    app = Application(solution)
    renewing = spawn(renews(app, (4.0,)))
    await app.acquire()
    await app.clock.sleep(4.0)
    app.look()
    await app.release()
    await renewing
    await app.finish(asks_again=True)


async def rivals(client, solution):
    """A works for 8 s; B comes a second later and tries every three seconds, with a new handle each time."""
    if client == 0:
        return await work(client, solution, asks_again=False)
    await Clock().sleep(1.0)
    for _ in range(5):
        app = Application(solution)
        if await app.acquire():
            await renews(app, (3.0,))
            await app.release()
            break
        await app.clock.sleep(3.0)
    else:
        broke("gives back", f"B was refused until {at(app.clock())}, although A's block had ended at 8 s: it did not give the "
              "lock back.")
    await app.finish()


# --- the named tests --------------------------------------------------------------------------------------------


async def simple(client, solution):
    """Acquire, renew, release, one after the other."""
    app = await held(solution)
    await renews(app, (3.0, 3.0))
    await app.clock.sleep(1.0)
    app.look()
    await app.release()
    await app.finish()


async def untold(client, solution):
    """The same without on_lost, once well and once with a loss."""
    app = await held(solution, is_told=False)
    await app.clock.sleep(3.0)
    await free_it(app)
    await app.renew()
    await app.finish()


async def odd(client, solution):
    """A lease of another lock and of another length, no whole number of seconds."""
    app = await held(solution, ttl=2.25, name="report")
    await renews(app, (1.0, 2.125, 2.125))
    await app.clock.sleep(2.125)
    app.look()
    await app.release()
    await app.finish()


async def refused(client, solution, asks_again=False):
    """B has the lock. A tries once."""
    if client == 1:
        return await holder(5.0)
    app = Application(solution)
    await app.clock.sleep(1.0)
    await app.acquire()
    await app.finish(asks_again)


async def refused_and_asked(client, solution):
    await refused(client, solution, asks_again=True)


async def refused_block(client, solution):
    """B has the lock. A's block is not entered."""
    if client == 1:
        return await holder(5.0)
    app = Application(solution)
    await app.clock.sleep(1.0)

    async def body(app):
        pass

    await app.block(body)
    await app.finish()


async def wrong_ttl(client, solution):
    """The service rejects the call itself: a ttl of 0."""
    app = Application(solution, ttl=0)
    await app.acquire()
    await app.finish()


async def unasked(client, solution):
    """Nothing was acquired yet."""
    app = Application(solution)
    await app.renew()
    await app.release()
    await app.acquire()
    await app.finish()


async def cancel(task, what):
    """Cancels it, and sees to it that it ends by that."""
    note("says", f"the task that {what} is cancelled")
    task.cancel()
    try:
        await task
    except Cancelled:
        return
    broke("cancelled", f"The task that {what} was cancelled, and the Cancelled did not go on to the caller.")


async def cancelled(client, solution):
    """The task that acquires is cancelled while the request is under way."""
    app = Application(solution)
    app.began = True
    task = spawn(app.handle.acquire())
    await app.clock.sleep(TICK)
    await cancel(task, "called acquire()")
    app.ends("released")
    app.look()
    await app.finish()


async def cancelled_renewal(client, solution):
    """A task that renews is cancelled while the request is under way."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    task = spawn(app.handle.renew())
    await app.clock.sleep(TICK)
    await cancel(task, "called renew()")
    app.look()
    await brink(app)


async def cancelled_release(client, solution):
    """A task that releases is cancelled while the request is under way."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    app.leaves()
    task = spawn(app.handle.release())
    await app.clock.sleep(TICK)
    await cancel(task, "called release()")
    app.look()
    await app.finish(asks_again=True)


async def given_up(client, solution):
    """release() is called while the request is under way. B wants the lock soon after."""
    if client == 1:
        await Clock().sleep(4.0)
        if await LockService().acquire("job", TTL) is None:
            broke("given back", "B was refused 4 s later: the grant that came for the handle, which had been released, was "
                  "not given back and stands in B's way until it runs out.")
        return
    await give_up(solution)


async def give_up(solution):
    app = Application(solution)
    asking = spawn(app.acquire())
    await app.clock.sleep(TICK)
    await app.release()
    for _ in range(8):
        await app.clock.sleep(TICK)
        app.look()
    await asking
    await app.finish()


async def given_up_and_cut_off(client, solution):
    """The same with one client; giving back may fail."""
    await give_up(solution)


async def given_up_and_refused(client, solution):
    """The same, and B has the lock: there is nothing to give back."""
    if client == 1:
        return await holder(5.0)
    await Clock().sleep(1.0)
    await give_up(solution)


async def slow(client, solution):
    """The first answer comes late, and so do others. A look at the very deadline, and a renewal after it."""
    app = await held(solution, ttl=4.0)
    await app.clock.sleep(max(app.deadline - TICK - app.clock(), 0))
    app.look()
    await brink(app)


async def brink(app, releases=False):
    """Looks until the deadline has come, and then renews or releases."""
    while app.phase == "held" and app.clock() < app.deadline:
        await app.clock.sleep(min(1.0, app.deadline - app.clock()))
        app.look()
    app.look()
    await (app.release() if releases else app.renew())
    await app.renew()
    await app.finish()


async def late_grant(client, solution):
    """A lease of half a second."""
    app = await held(solution, ttl=0.5)
    if app.phase == "held":
        await brink(app)
    else:
        await app.finish()


async def idle(client, solution):
    """Nobody renews until the deadline has come."""
    await brink(await held(solution))


async def idle_release(client, solution):
    """Nobody renews, and the work takes until the very deadline."""
    await brink(await held(solution), releases=True)


async def looks(client, solution):
    """The deadline passes, and for a while everybody only looks."""
    app = await held(solution)
    await app.clock.sleep(TTL)
    for _ in range(4):
        app.look()
        await app.clock.sleep(0.5)
    await app.release()
    await app.finish()


async def overslept(client, solution):
    """The work takes longer than the lease, in a block."""
    app = Application(solution)

    async def body(app):
        await app.clock.sleep(TTL + 1)

    await app.block(body)
    await app.finish()


async def unsure(client, solution):
    """A renewal that may fail, and then nothing until the deadline."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    await app.renew()
    await brink(app)


async def made_early(client, solution):
    """Some time goes by between making the handle and using it."""
    app = Application(solution)
    await app.clock.sleep(4.0)
    await app.acquire()
    await brink(app)


async def next_handle(client, solution):
    """The deadline of one handle passes, and the process takes the lock with another one."""
    old = await held(solution)
    await old.clock.sleep(TTL + 0.5)
    new = await held(solution)
    old.look()
    new.look()
    await old.renew()
    old.look()
    await new.clock.sleep(1.0)
    new.look()
    await new.release()
    await new.finish()


async def last_second(client, solution):
    """The only renewal is sent a second before the deadline, so that its time-out comes at the deadline."""
    app = await held(solution)
    await app.clock.sleep(app.deadline - 1.0 - app.clock())
    await app.renew()
    await app.clock.sleep(0.5)
    app.look()
    await app.renew()
    await app.finish()


async def last_moment(client, solution):
    """The only renewal is sent a quarter of a second before the deadline."""
    app = await held(solution)
    await app.clock.sleep(TTL - 0.25)
    await app.renew()
    await app.clock.sleep(1.0)
    app.look()
    await app.renew()
    await app.finish()


async def freed(client, solution):
    """An operator frees the lock: the next renewal is rejected."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    await free_it(app)
    await app.clock.sleep(1.0)
    app.look()
    await app.renew()
    await app.renew()
    await app.finish(asks_again=True)


async def freed_release(client, solution):
    """An operator frees the lock: the release frees nothing."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    await free_it(app)
    await app.release()
    await app.finish()


async def both_renew(client, solution, free=None, first_at=3.0, second=0.0):
    """Two tasks renew, the second a little later."""
    app = await held(solution)
    await app.clock.sleep(first_at)
    if free == 0:
        await free_it(app)
    first = spawn(app.renew())
    await app.clock.sleep(second)
    if free == 1:
        await free_it(app)
    await app.renew()
    await first
    await app.clock.sleep(1.0)
    app.look()
    return app


async def both_rejected(client, solution):
    app = await both_renew(client, solution, free=0)
    await app.finish()


async def overtaken(client, solution):
    """The answer to the first renewal comes after that to the second, which was sent half a second later."""
    app = await both_renew(client, solution, second=0.5)
    await app.clock.sleep(max(3.25 + TTL - app.clock(), 0))
    app.look()
    await brink(app)


async def overlapping(client, solution):
    """The first renewal is sent half a second before the deadline, and the second one, which succeeds, soon after."""
    app = await both_renew(client, solution, first_at=TTL - 0.5, second=0.125)
    await brink(app)


async def success_after_loss(client, solution):
    """The first renewal succeeds, the second is rejected, and the answers come the other way round."""
    app = await both_renew(client, solution, free=1, second=0.125)
    await app.finish()


async def success_after_release(client, solution):
    """The handle is released while a renewal is under way that will succeed."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    renewing = spawn(app.renew())
    await app.clock.sleep(TICK)
    await app.release()
    await renewing
    await app.clock.sleep(1.0)
    app.look()
    await app.finish()


async def release_beside_renewal(client, solution):
    """An operator frees the lock; then one task renews, and another releases while the rejection is under way."""
    app = await held(solution)
    await app.clock.sleep(3.0)
    await free_it(app)
    renewing = spawn(app.renew())
    await app.clock.sleep(TICK)
    await app.release()
    await renewing
    await app.finish()


async def twice(client, solution):
    """Released twice, one after the other."""
    app = await held(solution)
    await app.clock.sleep(1.0)
    await app.release()
    await app.release()
    await app.renew()
    await app.finish()


async def both_release(client, solution):
    """Two tasks release at once."""
    app = await held(solution)
    await app.clock.sleep(1.0)
    first = spawn(app.release())
    await app.release()
    await first
    await app.finish()


async def release_under_way(client, solution):
    """Looks and renewals while the answer to the release is still to come."""
    app = await held(solution)
    await app.clock.sleep(1.0)
    leaving = spawn(app.release())
    await app.clock.sleep(TICK)
    app.look()
    await app.renew()
    await app.clock.sleep(0.25)
    app.look()
    await app.renew()
    await leaving
    await app.finish()


async def again(client, solution):
    """acquire() and `async with` a second time, in every state."""
    app = Application(solution)
    asking = spawn(app.acquire())
    await app.clock.sleep(TICK)
    await app.acquire_again()
    await app.enter_again()
    await asking
    await app.acquire_again()
    await app.enter_again()
    await app.clock.sleep(1.0)
    await app.release()
    await app.acquire_again()
    await app.enter_again()
    await app.finish()


async def both_acquire(client, solution):
    """Two tasks acquire at once."""
    app = Application(solution)
    first = spawn(app.acquire())
    await app.clock.sleep(0)
    await app.acquire_again()
    await first
    app.look()
    await app.release()
    await app.finish()


async def leave(app):
    """A body that releases by itself."""
    await app.clock.sleep(1.0)
    await app.release()


async def doze(app):
    await app.clock.sleep(1.0)


async def lose(app):
    """A body in which the lock is lost."""
    await free_it(app)
    await app.clock.sleep(1.0)
    await app.renew()


async def lose_unseen(app):
    """A body in which the lock is lost, and nobody notices before the end."""
    await free_it(app)


async def blocks(client, solution, body=doze, error=None):
    app = Application(solution)
    await app.block(body, error)
    await app.finish()


async def block_left_early(client, solution):
    """The body releases, and then the block ends."""
    await blocks(client, solution, leave)


async def body_fails(client, solution):
    """The body raises an error."""
    await blocks(client, solution, doze, ValueError("the disk is full"))


async def storage_fails(client, solution):
    """The error of the body is a TransportError of its own."""
    await blocks(client, solution, doze, TransportError("no answer from the storage"))


async def nested_refused(client, solution):
    """The body wants the same lock with another handle, which is refused: that NotAcquired is the body's error."""

    async def body(app):
        await app.clock.sleep(1.0)
        other = solution["LockHandle"](LockService(), app.clock, app.name, TTL)
        try:
            async with other:
                pass
        except app.refusal as refused:
            return refused

    await blocks(client, solution, body)


async def body_fails_after_loss(client, solution):
    await blocks(client, solution, lose, ValueError("the disk is full"))


async def body_fails_after_unseen_loss(client, solution):
    await blocks(client, solution, lose_unseen, ValueError("the disk is full"))


async def block_after_loss(client, solution):
    await blocks(client, solution, lose)


async def block_after_unseen_loss(client, solution):
    await blocks(client, solution, lose_unseen)


async def body_cancelled(client, solution):
    """The task is cancelled in the body."""
    app = Application(solution)

    async def body(app):
        await app.clock.sleep(5.0)

    task = spawn(app.block(body))
    await app.clock.sleep(2.0)
    way = app.leaves()
    await cancel(task, "was in the block")
    app.left(way, None, None, is_block=True)
    await app.finish()
