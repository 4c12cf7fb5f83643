"""Mathematics. The transcendental functions are the host's, the same natively and in a browser to the last bit."""

from _leasehold import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, copysign, cos, cosh, erf, erfc, exp, exp2, expm1, fabs,
    fmod, gamma, hypot2 as _hypot2, lgamma, log1p, log2 as _log2, log10 as _log10, ln as _ln, nextafter, pow, sin,
    sinh, sqrt, tan, tanh,
)

pi = 3.141592653589793
e = 2.718281828459045
tau = 6.283185307179586
inf = float("inf")
nan = float("nan")


def _whole(x, method, away):
    if isinstance(x, int):
        return int(x)
    special = getattr(type(x), method, None)
    if special is not None and not isinstance(x, float):
        return special(x)
    x = float(x)
    whole = int(x)
    return whole + away if away and whole != x and (whole < x) == (away > 0) else whole


def floor(x, /):
    return _whole(x, "__floor__", -1)


def ceil(x, /):
    return _whole(x, "__ceil__", 1)


def trunc(x, /):
    return _whole(x, "__trunc__", 0)


def isnan(x, /):
    x = float(x)
    return x != x


def isinf(x, /):
    return float(x) in (inf, -inf)


def isfinite(x, /):
    x = float(x)
    return x == x and x not in (inf, -inf)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    return abs(b - a) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def _of_big(x, function):
    if isinstance(x, int) and x > 1 << 1000:
        shift = x.bit_length() - 64
        return function(float(x >> shift)) + shift * function(2.0)
    return function(x)


def log(x, base=None, /):
    if base is None:
        return _of_big(x, _ln)
    return _of_big(x, _ln) / _of_big(base, _ln)


def log2(x, /):
    return _of_big(x, _log2)


def log10(x, /):
    return _of_big(x, _log10)


def hypot(*coordinates):
    result = 0.0
    for c in coordinates:
        result = _hypot2(result, c)
    return result


def dist(p, q, /):
    p, q = tuple(p), tuple(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return hypot(*(a - b for a, b in zip(p, q)))


def degrees(x, /):
    return x * (180.0 / pi)


def radians(x, /):
    return x * (pi / 180.0)


def modf(x, /):
    x = float(x)
    if isinf(x):
        return copysign(0.0, x), x
    if isnan(x):
        return x, x
    whole = float(int(x))
    return copysign(x - whole, x), copysign(whole, x)


def frexp(x, /):
    x = float(x)
    if x == 0 or not isfinite(x):
        return x, 0
    n, d = abs(x).as_integer_ratio()
    exponent = n.bit_length() - d.bit_length()
    if n << max(0, -exponent) >= d << max(0, exponent):
        exponent += 1
    return x / 2.0**exponent, exponent


def ldexp(x, i, /):
    x = float(x)
    while i > 1000:
        x, i = x * 2.0**1000, i - 1000
    while i < -1000:
        x, i = x * 2.0**-1000, i + 1000
    return x * 2.0**i


def remainder(x, y, /):
    x, y = float(x), float(y)
    if not isfinite(x) or y == 0:
        raise ValueError("math domain error")
    if isinf(y):
        return x
    n, d = (abs(x) / abs(y)).as_integer_ratio()
    rest = fmod(abs(x), abs(y))
    other = abs(y) - rest
    quotient_is_odd = int(abs(x) // abs(y)) % 2 == 1
    if rest > other or (rest == other and quotient_is_odd):
        rest = -other
    return copysign(1.0, x) * rest


def fsum(seq, /):
    partials = []
    for x in seq:
        x = float(x)
        i = 0
        for y in partials:
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low:
                partials[i] = low
                i += 1
            x = high
        partials[i:] = [x]
    return sum(partials, 0.0)


def sumprod(p, q, /):
    return sum(a * b for a, b in zip(p, q, strict=True))


def prod(iterable, /, *, start=1):
    for x in iterable:
        start *= x
    return start


def gcd(*integers):
    result = 0
    for n in integers:
        n = abs(n.__index__())
        while n:
            result, n = n, result % n
    return result


def lcm(*integers):
    result = 1
    for n in integers:
        n = abs(n.__index__())
        if n == 0:
            return 0
        result = result // gcd(result, n) * n
    return result


def factorial(n, /):
    n = n.__index__()
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20_000:
        # As the operators would say it, if they were asked: python::guards.
        raise MemoryError("a number of more than 78,000 digits; numbers of up to 78,925 digits are kept here")
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def perm(n, k=None, /):
    n = n.__index__()
    k = n if k is None else k.__index__()
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    result = 1
    for i in range(k):
        result *= n - i
    return result


def comb(n, k, /):
    n, k = n.__index__(), k.__index__()
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    if k > n:
        return 0
    result = 1
    for i in range(min(k, n - k)):
        result = result * (n - i) // (i + 1)
    return result


def isqrt(n, /):
    n = n.__index__()
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    if n == 0:
        return 0
    x = 1 << (n.bit_length() + 1) // 2
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


def ulp(x, /):
    x = abs(float(x))
    return x if not isfinite(x) else nextafter(x, inf) - x
