"""Tokens from the simulation's seed: unguessable to the schedule, the same in every replay."""

from random import SystemRandom

DEFAULT_ENTROPY = 32
_shared = SystemRandom()
choice = _shared.choice
randbits = _shared.getrandbits


def randbelow(exclusive_upper_bound):
    if exclusive_upper_bound <= 0:
        raise ValueError("Upper bound must be positive.")
    return _shared._below(exclusive_upper_bound)


def token_bytes(nbytes=None):
    return _shared.randbytes(DEFAULT_ENTROPY if nbytes is None else nbytes)


def token_hex(nbytes=None):
    return token_bytes(nbytes).hex()


def token_urlsafe(nbytes=None):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    data = token_bytes(nbytes)
    count = (len(data) * 8 + 5) // 6
    number = int.from_bytes(data, "big") << (count * 6 - len(data) * 8)
    return "".join(alphabet[number >> (6 * i) & 63] for i in reversed(range(count)))


def compare_digest(a, b):
    return a == b
