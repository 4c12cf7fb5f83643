"""Warnings are not shown here; the library may issue them all the same."""

import _leasehold


def warn(message, category=None, stacklevel=1, source=None, **options):
    pass


def _warn_unawaited_coroutine(coroutine):
    _leasehold.unawaited(coroutine)


def warn_explicit(*args, **options):
    pass


def _deprecated(name, *args, **options):
    pass


def simplefilter(*args, **options):
    pass


filterwarnings = simplefilter


class deprecated:
    def __init__(self, message, /, *, category=None, stacklevel=1):
        self.message = message

    def __call__(self, arg, /):
        arg.__deprecated__ = self.message
        return arg
