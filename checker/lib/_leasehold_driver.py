"""What drivers share: they play the application around a learner's class, and say what it broke."""

import _leasehold

note = _leasehold.note


def broke(rule, message):
    note("broke", {"rule": rule, "message": message})


class Shows:
    """What a learner's handle shows of its state: acquiring, held, lost or released. Tells each change, and asks the handle
    nothing. `key` tells it from other handles that its application has."""

    __slots__ = ("name", "key", "state")

    def __init__(self, name, key=0):
        self.name = name
        self.key = key
        self.state = "acquiring"

    def goes(self, state, by):
        if state != self.state:
            note("state", {"handle": self.name, "key": self.key, "from": self.state, "to": state, "by": by})
            self.state = state


def shown(value):
    """What a message says of a value: an object's address tells nobody anything, and is another one in each run."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return f"an object of type {type(value).__name__}"


def awaited(call, what):
    """What a call of the learner's gave, to be awaited; `what` is the call in words."""
    if not hasattr(call, "__await__") and type(call).__name__ != "coroutine":
        broke("async", f"{what} gave {shown(call)}, which can't be awaited. It must be an async def.")
    return call
