"""What the library's own modules ask of `inspect`. Signatures are left out: `dataclasses` wants one only for a docstring."""

from annotationlib import get_annotations


class Parameter:
    pass


class Signature:
    pass


def signature(obj, **options):
    raise ValueError("no signatures here")


def cleandoc(doc):
    return doc


def unwrap(func, *, stop=None):
    while hasattr(func, "__wrapped__") and not (stop and stop(func)):
        func = func.__wrapped__
    return func
