"""`contextlib` imports this for `chdir`; there are no directories here."""
