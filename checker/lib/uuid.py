"""UUIDs from the simulation's seed."""

import _leasehold
from random import SystemRandom

_shared = SystemRandom()


class UUID:
    __slots__ = ("int",)

    def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None, *, is_safe=None):
        if (hex, bytes, bytes_le, fields, int).count(None) != 4:
            raise TypeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given")
        if bytes_le is not None:
            bytes = _swapped(bytes_le)
        elif fields is not None:
            low, mid, high, variant, sequence, node = fields
            int = low << 96 | mid << 80 | high << 64 | variant << 56 | sequence << 48 | node
        if hex is not None:
            digits = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
            if len(digits) != 32:
                raise ValueError("badly formed hexadecimal UUID string")
            int = _int(digits, 16)
        elif bytes is not None:
            if len(bytes) != 16:
                raise ValueError("bytes is not a 16-char string")
            int = _int.from_bytes(bytes, "big")
        if not 0 <= int < 1 << 128:
            raise ValueError("int is out of range (need a 128-bit value)")
        if version is not None:
            int = int & ~(0xC000 << 48) | 0x8000 << 48
            int = int & ~(0xF000 << 64) | version << 76
        object.__setattr__(self, "int", int)

    def __setattr__(self, name, value):
        raise TypeError("UUID objects are immutable")

    @property
    def hex(self):
        return f"{self.int:032x}"

    @property
    def bytes(self):
        return self.int.to_bytes(16, "big")

    @property
    def bytes_le(self):
        return _swapped(self.bytes)

    @property
    def fields(self):
        return self.time_low, self.time_mid, self.time_hi_version, self.clock_seq_hi_variant, self.clock_seq_low, self.node

    @property
    def time_low(self):
        return self.int >> 96

    @property
    def time_mid(self):
        return self.int >> 80 & 0xFFFF

    @property
    def time_hi_version(self):
        return self.int >> 64 & 0xFFFF

    @property
    def clock_seq_hi_variant(self):
        return self.int >> 56 & 0xFF

    @property
    def clock_seq_low(self):
        return self.int >> 48 & 0xFF

    @property
    def time(self):
        return (self.time_hi_version & 0x0FFF) << 48 | self.time_mid << 32 | self.time_low

    @property
    def clock_seq(self):
        return (self.clock_seq_hi_variant & 0x3F) << 8 | self.clock_seq_low

    @property
    def node(self):
        return self.int & 0xFFFFFFFFFFFF

    @property
    def urn(self):
        return "urn:uuid:" + str(self)

    @property
    def variant(self):
        bits = self.int >> 61 & 7
        return RESERVED_NCS if bits < 4 else RFC_4122 if bits < 6 else RESERVED_MICROSOFT if bits < 7 else RESERVED_FUTURE

    @property
    def version(self):
        return self.int >> 76 & 0xF if self.variant == RFC_4122 else None

    def __str__(self):
        h = self.hex
        return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    def __repr__(self):
        return f"UUID({str(self)!r})"

    def __int__(self):
        return self.int

    def __hash__(self):
        return hash(self.int)

    def __eq__(self, other):
        return self.int == other.int if isinstance(other, UUID) else NotImplemented

    def __lt__(self, other):
        return self.int < other.int if isinstance(other, UUID) else NotImplemented

    def __le__(self, other):
        return self.int <= other.int if isinstance(other, UUID) else NotImplemented

    def __gt__(self, other):
        return self.int > other.int if isinstance(other, UUID) else NotImplemented

    def __ge__(self, other):
        return self.int >= other.int if isinstance(other, UUID) else NotImplemented


_int = int

RESERVED_NCS = "reserved for NCS compatibility"
RFC_4122 = "specified in RFC 4122"
RESERVED_MICROSOFT = "reserved for Microsoft compatibility"
RESERVED_FUTURE = "reserved for future definition"


def _swapped(b):
    return b[3::-1] + b[5:3:-1] + b[7:5:-1] + b[8:]


NAMESPACE_DNS = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_URL = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_OID = UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_X500 = UUID("6ba7b814-9dad-11d1-80b4-00c04fd430c8")


def _named(digest, version, namespace, name):
    data = namespace.bytes + (name.encode() if isinstance(name, str) else bytes(name))
    return UUID(bytes=_leasehold.digest(digest, data)[:16], version=version)


def uuid3(namespace, name):
    return _named("md5", 3, namespace, name)


def uuid5(namespace, name):
    return _named("sha1", 5, namespace, name)


def uuid4():
    return UUID(int=_shared.getrandbits(128), version=4)


def uuid1(node=None, clock_seq=None):
    raise NotImplementedError("uuid1 asks the machine's clock and network card; use uuid4() here")
