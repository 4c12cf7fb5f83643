# Rows are named tuples; a subclass of a general guarded store brings the rule.
from typing import Any, NamedTuple

from leasehold import Duplicate, StaleFencingToken


class Row(NamedTuple):
    mark: int
    value: Any


class GuardedStore:
    def __init__(self, db):
        self._db = db

    async def _swap(self, key, new):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(key, new)
            except Duplicate:
                self.check(Row(*await tx.get_for_update(key)), new)
                await tx.put(key, new)

    def check(self, old, new):
        raise NotImplementedError


class FencedStore(GuardedStore):
    def check(self, old, new):
        if new.mark < old.mark:
            raise StaleFencingToken(f"{old.mark} was accepted before {new.mark}")

    @staticmethod
    def key(resource):
        return f"fenced:{resource}"

    async def write(self, resource, token, value):
        await self._swap(self.key(resource), Row(token, value))

    async def read(self, resource):
        async with await self._db.begin() as tx:
            row = await tx.get(self.key(resource))
        return Row(*row).value if row is not None else None
