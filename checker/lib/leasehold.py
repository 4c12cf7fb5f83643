"""What a simulated process is given: its clock, its tasks, and the servers that it reaches over the network.

Every ``await`` of something from here is a visible operation: the only places where time passes, where another task
runs, and where the world may go wrong. Between two of them your code runs undisturbed.
"""

import _leasehold
from types import coroutine

__all__ = [
    "BadRequest", "Cache", "Cancelled", "Clock", "Coordinator", "Database", "Deadlock", "Duplicate", "Entry",
    "Grant", "LockService", "Mutex", "Node", "Place", "Session", "SessionLost", "Signal", "StaleFencingToken",
    "Storage", "Task", "TransactionOver", "TransportError", "Watch", "current_task", "spawn",
]


class TransportError(Exception):
    """No answer came in time. Whether the call was done is unknown."""


class StaleFencingToken(Exception):
    """The storage has seen a greater fencing token: this write comes from a holder that was replaced."""


class BadRequest(Exception):
    """The server can make nothing of this call: look at its arguments."""


class Deadlock(Exception):
    """This transaction would wait for one that waits for it; it was rolled back."""


class Duplicate(Exception):
    """A row of this name exists already."""


class TransactionOver(Exception):
    """The transaction has ended: it was committed or rolled back."""


class SessionLost(Exception):
    """The session is over: nobody kept it alive in time, or it was closed. Its places in queues are gone."""


class Cancelled(BaseException):
    """Raised inside a task that was cancelled, where it awaits."""


@coroutine
def _visible(*ask):
    return (yield ask)


_MARK = _leasehold.mark


async def _call(server, verb, *args):
    return await _visible(_MARK, "call", server, verb, *args)


class Clock:
    """This process's clocks. Calling it reads the monotonic one."""

    __slots__ = ()

    def __call__(self):
        """Seconds on the monotonic clock: it never goes back. Deadlines belong here."""
        return _leasehold.now_us() / 1_000_000

    def monotonic(self):
        """The same as calling the clock."""
        return _leasehold.now_us() / 1_000_000

    def wall(self):
        """Seconds since 1970 on the wall clock, which an administrator or a time server may step either way."""
        return _leasehold.wall_us() / 1_000_000

    async def sleep(self, seconds):
        """Let so many seconds pass on the monotonic clock. 0 lets other tasks go first."""
        await _visible(_MARK, "sleep", seconds)


class Task:
    """Code that runs beside the one that spawned it. ``await`` it for its result."""

    __slots__ = ("_id",)

    def __init__(self, id):
        self._id = id

    def cancel(self):
        """Raise Cancelled in the task where it awaits. Does nothing to a task that is done."""
        _leasehold.cancel(self._id)

    def done(self):
        """Whether it has returned, raised or been cancelled."""
        return _leasehold.is_done(self._id)

    def __await__(self):
        return (yield (_MARK, "join", self._id))


# By number, so that each task has one Task: `is` and `==` tell tasks apart, and a Task is good as a key. A Task knows
# nothing but its number, so one of an earlier run is as good as a new one.
_tasks = {}


def _task(id):
    task = _tasks.get(id)
    if task is None:
        task = _tasks[id] = Task(id)
    return task


def spawn(coroutine):
    """Start a coroutine as a task of this process and return the Task. It runs when the present task awaits."""
    return _task(_leasehold.spawn(coroutine))


def current_task():
    """The Task that asks: the same object each time in one task, another one in each other task."""
    return _task(_leasehold.current_task())


class Signal:
    """Something that happens once, and that tasks of this process wait for."""

    __slots__ = ("_id", "_set")

    def __init__(self):
        self._id = _leasehold.new_signal()
        self._set = False

    def set(self):
        """It has happened: everyone who waits goes on, and nobody waits from now on."""
        if not self._set:
            self._set = True
            _leasehold.set_signal(self._id)

    def is_set(self):
        """Whether it has happened."""
        return self._set

    async def wait(self, timeout=None):
        """Wait for it, at most ``timeout`` seconds. True if it happened, False if the time was over first."""
        if self._set:
            return True
        return await _visible(_MARK, "wait", self._id, timeout)


class Mutex:
    """For tasks of one process: ``async with mutex:`` lets one in at a time, in the order in which they came."""

    __slots__ = ("_locked", "_waiting")

    def __init__(self):
        self._locked = False
        self._waiting = []

    async def __aenter__(self):
        if self._locked:
            turn = Signal()
            self._waiting.append(turn)
            try:
                await turn.wait()
            except BaseException:
                if turn.is_set():
                    self._next()
                else:
                    self._waiting.remove(turn)
                raise
        self._locked = True
        return self

    async def __aexit__(self, *exception):
        self._next()

    def _next(self):
        if self._waiting:
            self._waiting.pop(0).set()
        else:
            self._locked = False


class Grant:
    """What the lock service gives to a new holder."""

    __slots__ = ("name", "ownership_token", "fencing_token", "ttl")

    def __init__(self, name, ownership_token, fencing_token, ttl):
        self.name = name
        #: Random and secret: renew and release ask for it. It has no order.
        self.ownership_token = ownership_token
        #: Greater than every one before. It goes with every write.
        self.fencing_token = fencing_token
        #: Seconds, counted by the service from the moment at which it granted.
        self.ttl = ttl

    def __repr__(self):
        return f"Grant({self.name!r}, fencing_token={self.fencing_token}, ttl={self.ttl})"


class LockService:
    """A lock service somewhere on the network. It is right; what lies between you and it may not be.

    Each call takes a round trip. If no answer comes, TransportError is raised, and the call may have been done.
    """

    __slots__ = ("_server",)

    def __init__(self, server="locks"):
        self._server = server

    async def acquire(self, name, ttl):
        """Try once. A Grant, or None while someone holds the lock (asking again while one holds it is refused)."""
        grant = await _call(self._server, "acquire", name, ttl)
        return None if grant is None else Grant(*grant)

    async def renew(self, name, ownership_token, ttl):
        """Let the lease run for ``ttl`` seconds from now. False if this grant is over; it never comes back."""
        return await _call(self._server, "renew", name, ownership_token, ttl)

    async def release(self, name, ownership_token):
        """Free the lock if this very grant holds it. False if it does not; then nothing changes."""
        return await _call(self._server, "release", name, ownership_token)

    async def watch(self, name):
        """Ask to be told when the lock is free: a Watch, which fires once (at once if the lock is free already). Close
        it when you no longer wait."""
        return Watch(self._server, await _call(self._server, "watch", name))


class Node:
    """One of several stores that know nothing of each other: the majority of them makes a lock. It keeps one ownership
    token under a name, which you bring, and gives no fencing token.

    Each call takes a round trip. If no answer comes, TransportError is raised, and the call may have been done.
    """

    __slots__ = ("_server",)

    def __init__(self, server):
        self._server = server

    async def acquire(self, name, ownership_token, ttl):
        """Keep this token (a text) under the name for ``ttl`` seconds, counted by the node from when it gets the request.
        False if there is one already, be it your own; then nothing changes."""
        return await _call(self._server, "acquire", name, ownership_token, ttl)

    async def release(self, name, ownership_token):
        """Remove what is kept under the name if it is this very token. False if it is not; then nothing changes."""
        return await _call(self._server, "release", name, ownership_token)


class Watch:
    """A question left with a server: tell me when this changes."""

    __slots__ = ("_server", "_id", "version", "gone")

    def __init__(self, server, id, version=None, gone=False):
        self._server = server
        self._id = id
        self.version = version
        self.gone = gone

    async def fired(self, timeout):
        """Wait at most ``timeout`` seconds. True if it fired, now or earlier; False if the time was over first."""
        return await _visible(_MARK, "watched", self._server, self._id, timeout)

    async def close(self):
        """Take the question back."""
        await _call(self._server, "unwatch", self._id)


class Storage:
    """A storage with a gate: it remembers the greatest fencing token for each resource and rejects smaller ones."""

    __slots__ = ("_server",)

    def __init__(self, server="storage"):
        self._server = server

    async def write(self, resource, fencing_token, value):
        """Write, or raise StaleFencingToken."""
        await _call(self._server, "write", resource, fencing_token, value)

    async def read(self, resource):
        """The last value that was written, or None."""
        return await _call(self._server, "read", resource)


class Entry:
    """What a cache holds under a key: a value (None if there is none) and its version (then 0)."""

    __slots__ = ("value", "version")

    def __init__(self, value, version):
        self.value = value
        self.version = version

    def __repr__(self):
        return f"Entry({self.value!r}, version={self.version})"


class Cache:
    """A key-value cache with transactions: read, then commit on condition that nothing has changed since."""

    __slots__ = ("_server",)

    def __init__(self, server="cache"):
        self._server = server

    async def read(self, *keys):
        """One Entry for each key, all of one moment."""
        return [Entry(*entry) for entry in await _call(self._server, "read", *keys)]

    async def commit(self, checks, writes, ttl=None):
        """All of it or nothing: if every key in ``checks`` still has the version given there (0: is absent), put the
        values of ``writes`` (None: delete) under their keys, for ``ttl`` seconds if one is given. True if it was done.
        """
        return await _call(self._server, "commit", checks, writes, ttl)

    async def watch(self, key):
        """Ask to be told once when the key changes: a Watch. Its ``version`` is the one that the key has now: if you
        read another one before, the key has changed already. Close it when you no longer wait."""
        id, version = await _call(self._server, "watch", key)
        return Watch(self._server, id, version)


class Session:
    """A sign of life that a coordination service waits for: over when nobody has kept it alive for ``ttl`` seconds."""

    __slots__ = ("id", "client", "ttl")

    def __init__(self, id, client, ttl):
        #: No other session ever has it.
        self.id = id
        #: The name of the process that opened it. Every session of that process has the same.
        self.client = client
        self.ttl = ttl

    def __repr__(self):
        return f"Session({self.id!r}, client={self.client!r}, ttl={self.ttl})"


class Place:
    """A place in a queue of a coordination service."""

    __slots__ = ("number", "session", "client")

    def __init__(self, number, session, client):
        #: Greater than that of every place taken before it, in any queue. It is never used again.
        self.number = number
        #: The id of the session that took it, and with which it goes.
        self.session = session
        #: The name of the process that opened that session.
        self.client = client

    def __repr__(self):
        return f"Place({self.number}, session={self.session!r}, client={self.client!r})"


class Coordinator:
    """A coordination service: queues of places, each of which lives as long as the session that took it.

    Each call takes a round trip. If no answer comes, TransportError is raised, and the call may have been done.
    """

    __slots__ = ("_server",)

    def __init__(self, server="coordinator"):
        self._server = server

    async def open(self, ttl):
        """A new Session, which ends after ``ttl`` seconds unless it is kept alive."""
        return Session(*await _call(self._server, "open", ttl))

    async def keep_alive(self, session):
        """Let the session run for its ttl from now. False if it is over; it never comes back."""
        return await _call(self._server, "keep_alive", session.id)

    async def close(self, session):
        """End the session now; its places go with it. False if it was over."""
        return await _call(self._server, "close", session.id)

    async def append(self, queue, session):
        """Take a place at the end of a queue: its number. Each call takes another one. Raises SessionLost if the session
        is over."""
        return await _call(self._server, "append", queue, session.id)

    async def places(self, queue):
        """All Places of the queue at one moment, the first in line first."""
        return [Place(*place) for place in await _call(self._server, "places", queue)]

    async def remove(self, number):
        """Take this place away, whoever's it is. False if it is gone already."""
        return await _call(self._server, "remove", number)

    async def watch(self, *numbers):
        """Ask to be told when the first of these places goes, however it goes: a Watch, which fires once. If its ``gone``
        is true, one of them was gone already: then it does not fire for that one. A watch that has not fired stays with
        the service until you close it."""
        id, gone = await _call(self._server, "watch", *numbers)
        return Watch(self._server, id, gone=gone)


class Database:
    """A store of rows with transactions and row locks (read committed).

    The name of a row is a text. A row holds None, a bool, int, float or text, or a list or dict of such; a tuple comes
    back as a list.
    """

    __slots__ = ("_server",)

    def __init__(self, server="database"):
        self._server = server

    async def begin(self):
        """Begin a transaction. ``async with await db.begin() as tx:`` commits at the end, or rolls back on an
        exception. One that the database does not hear of for 10 s is rolled back."""
        return Transaction(self._server, await _call(self._server, "begin"))


class Transaction:
    """One transaction. What it writes is seen by others only after commit().

    Each call takes a round trip. It raises TransportError if no answer comes, Deadlock if it would wait for ever, and
    TransactionOver if the transaction has ended.
    """

    __slots__ = ("_server", "_id")

    def __init__(self, server, id):
        self._server = server
        self._id = id

    async def get(self, row):
        """The committed value (or this transaction's own), or None. Locks nothing."""
        return await _call(self._server, "get", self._id, row)

    async def get_for_update(self, row):
        """The same, and the row stays locked until this transaction ends; waits for another's lock. A row that does
        not exist can't be locked: None, and no lock."""
        return await _call(self._server, "get_for_update", self._id, row)

    async def put(self, row, value):
        """Write the row, whether it exists or not; locks it, waits for another's lock."""
        await _call(self._server, "put", self._id, row, value)

    async def insert(self, row, value):
        """Write a row that does not exist yet; raises Duplicate if it does. Waits while another transaction has
        inserted it and not ended."""
        await _call(self._server, "insert", self._id, row, value)

    async def delete(self, row):
        """Delete the row; locks it, waits for another's lock."""
        await _call(self._server, "delete", self._id, row)

    async def commit(self):
        """Make all of it visible at once, and free the locks."""
        await _call(self._server, "commit", self._id)

    async def rollback(self):
        """Undo all of it, and free the locks."""
        await _call(self._server, "rollback", self._id)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, exception, traceback):
        if kind is None:
            await self.commit()
        else:
            try:
                await self.rollback()
            except (TransportError, TransactionOver):
                pass
