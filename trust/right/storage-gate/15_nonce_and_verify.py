# Each write has a nonce; when a commit stays without an answer, the row is looked at to see whether it was done.
import uuid
from dataclasses import asdict, dataclass
from typing import Any, Optional

from leasehold import Duplicate, StaleFencingToken, TransactionOver, TransportError


@dataclass(frozen=True)
class Record:
    mark: int
    value: Any
    nonce: str

    @classmethod
    def of(cls, row: Optional[dict]) -> "Optional[Record]":
        return None if row is None else cls(**row)


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        mine = Record(token, value, uuid.uuid4().hex)
        try:
            await self._attempt(resource, mine)
        except (TransportError, TransactionOver):
            if not await self._is_stored(resource, mine):
                raise

    async def _attempt(self, resource, mine):
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, asdict(mine))
            except Duplicate:
                theirs = Record.of(await tx.get_for_update(resource))
                if mine.mark < theirs.mark:
                    raise StaleFencingToken(f"{mine.mark} comes after {theirs.mark}")
                await tx.put(resource, asdict(mine))

    async def _is_stored(self, resource, mine):
        async with await self._db.begin() as tx:
            stored = Record.of(await tx.get(resource))
        return stored is not None and stored.nonce == mine.nonce

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = Record.of(await tx.get(resource))
        return None if record is None else record.value
