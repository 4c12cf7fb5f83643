"""One row is written before all else in each transaction, only to be locked: put() locks a row that is new, too."""
from dataclasses import asdict, dataclass
from typing import Any

from leasehold import Database, StaleFencingToken


@dataclass(frozen=True)
class Record:
    mark: int
    value: Any

    @classmethod
    def load(cls, stored):
        return None if stored is None else cls(**stored)


class FencedStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def write(self, resource: str, token: int, value: Any) -> None:
        async with await self._db.begin() as tx:
            await tx.put(f"lock/{resource}", token)
            record = Record.load(await tx.get(f"record/{resource}"))
            if record is not None and token < record.mark:
                raise StaleFencingToken(f"{resource}: {token} after {record.mark}")
            await tx.put(f"record/{resource}", asdict(Record(token, value)))

    async def read(self, resource: str) -> Any:
        async with await self._db.begin() as tx:
            record = Record.load(await tx.get(f"record/{resource}"))
        return record.value if record else None
