"""Random numbers from the simulation's seed: the same schedule always draws the same ones."""

import math as _math

import _leasehold

_MASK = (1 << 64) - 1


class Random:
    # No place to put something of one's own: all processes share the generator below.
    __slots__ = ("_state",)

    def __init__(self, x=None):
        self.seed(x)

    def seed(self, a=None, version=2):
        if a is None:
            self._state = _leasehold.draw()
        elif isinstance(a, int):
            self._state = abs(a) & _MASK
        elif isinstance(a, float):
            self._state = hash(a) & _MASK
        elif isinstance(a, (str, bytes, bytearray)):
            data = a.encode() if isinstance(a, str) else bytes(a)
            self._state = int.from_bytes(_leasehold.digest("sha256", data)[:8], "big")
        else:
            raise TypeError("The only supported seed types are: None, int, float, str, bytes, and bytearray.")

    def getstate(self):
        return self._state

    def setstate(self, state):
        self._state = state

    def _next(self):
        self._state, value = _leasehold.step(self._state)
        return value

    def random(self):
        return (self._next() >> 11) / 9007199254740992

    def getrandbits(self, k):
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        value = 0
        for _ in range((k + 63) // 64):
            value = (value << 64) | self._next()
        return value >> (-k % 64)

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def _below(self, n):
        bits = n.bit_length()
        if bits <= 64:
            # The same numbers as below with fewer calls.
            spare = 64 - bits
            value = self._next() >> spare
            while value >= n:
                value = self._next() >> spare
            return value
        value = self.getrandbits(bits)
        while value >= n:
            value = self.getrandbits(bits)
        return value

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            start, stop = 0, start
        choices = range(start, stop, step)
        if not choices:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        return choices[self._below(len(choices))]

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        n = len(population)
        if cum_weights is None:
            if weights is None:
                return [population[self._below(n)] for _ in range(k)]
            total = 0
            cum_weights = [total := total + w for w in weights]
        total = cum_weights[-1]
        if total <= 0:
            raise ValueError("Total of weights must be greater than zero")
        chosen = []
        for _ in range(k):
            point = self.random() * total
            chosen.append(population[next((i for i, c in enumerate(cum_weights) if point < c), n - 1)])
        return chosen

    def shuffle(self, x):
        for i in reversed(range(1, len(x))):
            j = self._below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        pool = list(population)
        if counts is not None:
            pool = [item for item, count in zip(pool, counts) for _ in range(count)]
        if not 0 <= k <= len(pool):
            raise ValueError("Sample larger than population or is negative")
        self.shuffle(pool)
        return pool[:k]

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        c = 0.5 if mode is None else (mode - low) / (high - low)
        if u > c:
            u, c, low, high = 1.0 - u, 1.0 - c, high, low
        return low + (high - low) * _math.sqrt(u * c)

    def expovariate(self, lambd=1.0):
        return -_math.log(1.0 - self.random()) / lambd

    def gauss(self, mu=0.0, sigma=1.0):
        radius = _math.sqrt(-2.0 * _math.log(1.0 - self.random()))
        return mu + sigma * radius * _math.cos(2.0 * _math.pi * self.random())

    normalvariate = gauss


class SystemRandom(Random):
    __slots__ = ()

    def seed(self, *args, **kwds):
        self._state = 0

    def _next(self):
        return _leasehold.draw()


_shared = SystemRandom()
random = _shared.random
getrandbits = _shared.getrandbits
randbytes = _shared.randbytes
randrange = _shared.randrange
randint = _shared.randint
choice = _shared.choice
choices = _shared.choices
shuffle = _shared.shuffle
sample = _shared.sample
uniform = _shared.uniform
triangular = _shared.triangular
expovariate = _shared.expovariate
gauss = _shared.gauss
normalvariate = _shared.normalvariate


def seed(a=None, version=2):
    """The shared generator belongs to the simulation and keeps its own seed."""
