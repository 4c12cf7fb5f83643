# One dict of frozen dataclasses; a dead lease is overwritten or dropped, and its owner is told False.
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, Hashable, Optional


@dataclass(frozen=True, slots=True)
class Lease:
    holder: Hashable
    until: float

    def runs_at(self, instant: float) -> bool:
        return instant < self.until


class LockManager:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._leases: Dict[str, Lease] = {}
        self._last_token = 0

    def _running(self, name: str) -> Optional[Lease]:
        lease = self._leases.get(name)
        if lease is not None and lease.runs_at(self._clock()):
            return lease
        return None

    def acquire(self, name: str, client_id: Hashable, ttl: float) -> Optional[int]:
        if self._running(name) is not None:
            return None
        self._leases[name] = Lease(holder=client_id, until=self._clock() + ttl)
        self._last_token += 1
        return self._last_token

    def release(self, name: str, client_id: Hashable) -> bool:
        lease = self._running(name)
        if lease is None or lease.holder != client_id:
            return False
        del self._leases[name]
        return True
