# Types everywhere, states as an Enum, an abstract base for the source of tokens.
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, Optional, TypeVar

Clock = Callable[[], float]
Name = TypeVar("Name", bound=Hashable)


class Status(Enum):
    FREE = auto()
    HELD = auto()
    EXPIRED = auto()


class TokenSource(ABC):
    @abstractmethod
    def mint(self) -> int: ...


class Sequence(TokenSource):
    def __init__(self, start: int = 1) -> None:
        self._next: int = start

    def mint(self) -> int:
        token = self._next
        self._next += 1
        return token


@dataclass(frozen=True)
class Lease(Generic[Name]):
    name: Name
    client_id: str
    expiry: float
    token: int


@dataclass
class LockManager:
    clock: Clock
    tokens: TokenSource = field(default_factory=Sequence)
    leases: dict[str, Lease[str]] = field(default_factory=dict)

    def status(self, name: str) -> Status:
        lease: Optional[Lease[str]] = self.leases.get(name)
        if lease is None:
            return Status.FREE
        return Status.HELD if self.clock() < lease.expiry else Status.EXPIRED

    def acquire(self, name: str, client_id: str, ttl: float) -> int | None:
        if self.status(name) is Status.HELD:
            return None
        lease = Lease(name, client_id, self.clock() + ttl, self.tokens.mint())
        self.leases[name] = lease
        return lease.token

    def release(self, name: str, client_id: str) -> bool:
        match self.status(name), self.leases.get(name):
            case Status.HELD, Lease(client_id=holder) if holder == client_id:
                del self.leases[name]
                return True
            case _:
                return False
