# The manager is a dataclass itself, with slots; leases are tuples in a defaultdict, and tokens are even numbers.
import math
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import count

NEVER_HELD = (None, -math.inf)


@dataclass(slots=True, eq=False)
class LockManager:
    clock: Callable[[], float]
    leases: dict = field(default_factory=lambda: defaultdict(lambda: NEVER_HELD), repr=False)
    tokens: count = field(default_factory=lambda: count(0, 2))

    def acquire(self, name: str, client_id: Hashable, ttl: float) -> int | None:
        now = self.clock()
        match self.leases[name]:
            case (_, end) if end > now:
                return None
        self.leases[name] = client_id, now + ttl
        return next(self.tokens)

    def release(self, name: str, client_id: Hashable) -> bool:
        holder, end = self.leases[name]
        mine = end != -math.inf and holder == client_id
        if mine:
            self.leases[name] = NEVER_HELD
        return mine
