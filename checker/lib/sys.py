"""What may be known of the interpreter. The interpreter's own `sys` stays out of reach: its settings are not the
learner's, and its table of modules leads everywhere."""

import _leasehold
from _leasehold import (
    _clear_type_descriptors, _getframe, _getframemodulename, exc_info, exception, get_int_max_str_digits, getrecursionlimit,
    getsizeof, implementation, intern, unraisablehook, version_info,
)

maxsize = 9223372036854775807
maxunicode = 0x10FFFF
byteorder = "little"
version = "3.14 (Leasehold)"
platform = "leasehold"
argv = [""]
path = []
stdin = stdout = stderr = None


class float_info:
    """What floats can hold."""

    max, max_exp, max_10_exp = 1.7976931348623157e308, 1024, 308
    min, min_exp, min_10_exp = 2.2250738585072014e-308, -1021, -307
    dig, mant_dig, radix, rounds = 15, 53, 2, 1
    epsilon = 2.220446049250313e-16


class _Modules:
    """The modules that were imported, to look at."""

    __slots__ = ()

    def get(self, name, default=None):
        module = _leasehold.module(name)
        return default if module is None else module

    def __getitem__(self, name):
        module = _leasehold.module(name)
        if module is None:
            raise KeyError(name)
        return module

    def __contains__(self, name):
        return _leasehold.module(name) is not None

    def __setitem__(self, name, module):
        pass


modules = _Modules()


def set_int_max_str_digits(maxdigits):
    pass


def setrecursionlimit(limit):
    pass


def settrace(function):
    raise RuntimeError("there is no tracing here; print() shows its text below the results")


setprofile = settrace


def excepthook(*args):
    pass


def exit(status=None):
    raise SystemExit(status)
