# A frozen dataclass knows the rule and is replaced, never changed; it goes to the row and comes from it as a list.
from dataclasses import astuple, dataclass
from typing import Any

from leasehold import Duplicate, StaleFencingToken


@dataclass(frozen=True)
class Accepted:
    mark: int
    value: Any

    def followed_by(self, token, value):
        if token < self.mark:
            raise StaleFencingToken(f"{token} after {self.mark}")
        return Accepted(token, value)


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, list(astuple(Accepted(token, value))))
            except Duplicate:
                before = Accepted(*await tx.get_for_update(resource))
                await tx.put(resource, list(astuple(before.followed_by(token, value))))

    async def read(self, resource):
        async with await self._db.begin() as tx:
            row = await tx.get(resource)
        return Accepted(*row).value if row else None
