"""The three digests that lock code asks for, computed by the host."""

import _leasehold

algorithms_available = algorithms_guaranteed = {"md5", "sha1", "sha256"}


class _Hash:
    def __init__(self, name, data=b""):
        self.name = name
        self._data = bytes(data)
        self.digest_size = len(self.digest())

    def update(self, data):
        self._data += bytes(data)

    def digest(self):
        return _leasehold.digest(self.name, self._data)

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        return _Hash(self.name, self._data)


def new(name, data=b"", **options):
    if name not in algorithms_available:
        raise ValueError(f"unsupported hash type {name}; here are md5, sha1 and sha256")
    return _Hash(name, data)


def md5(data=b"", **options):
    return _Hash("md5", data)


def sha1(data=b"", **options):
    return _Hash("sha1", data)


def sha256(data=b"", **options):
    return _Hash("sha256", data)


def _not_here(name):
    def refuse(*arguments, **options):
        new(name)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


blake2b, blake2s, sha224, sha384, sha512, sha3_224, sha3_256, sha3_384, sha3_512, shake_128, shake_256 = map(_not_here, (
    "blake2b", "blake2s", "sha224", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake_128",
    "shake_256"))
