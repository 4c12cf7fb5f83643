"""`annotationlib` imports this to print annotations of code that was never run, which does not happen here."""


class AST:
    pass


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return type(name, (AST,), {})
