"""Warnings are not shown here; the library may issue them all the same."""


def warn(message, category=None, stacklevel=1, source=None, **options):
    pass


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
