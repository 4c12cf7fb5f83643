"""UUIDs from the simulation's seed."""

from random import SystemRandom

_shared = SystemRandom()


class UUID:
    __slots__ = ("int",)

    def __init__(self, hex=None, bytes=None, *, int=None, version=None):
        if (hex, bytes, int).count(None) != 2:
            raise TypeError("one of the hex, bytes or int arguments must be given")
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
    def version(self):
        return self.int >> 76 & 0xF

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


def uuid4():
    return UUID(int=_shared.getrandbits(128), version=4)


def uuid1(node=None, clock_seq=None):
    raise NotImplementedError("uuid1 asks the machine's clock and network card; use uuid4() here")
