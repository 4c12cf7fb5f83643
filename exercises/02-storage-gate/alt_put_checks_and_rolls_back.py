"""Writes first and asks then: the put locks the value's row, and a stale token rolls all of it back."""
from contextlib import asynccontextmanager

from leasehold import StaleFencingToken, TransactionOver, TransportError


@asynccontextmanager
async def transaction(db):
    tx = await db.begin()
    try:
        yield tx
    except BaseException:
        try:
            await tx.rollback()
        except (TransactionOver, TransportError):
            pass
        raise
    else:
        await tx.commit()


class FencedStore:
    def __init__(self, db):
        self.db = db

    async def write(self, resource, token, value):
        async with transaction(self.db) as tx:
            await tx.put(f"{resource}.value", value)
            mark = await tx.get(f"{resource}.mark")
            if mark is not None and token < mark:
                raise StaleFencingToken(f"{resource}: {token} < {mark}")
            await tx.put(f"{resource}.mark", token)

    async def read(self, resource):
        async with transaction(self.db) as tx:
            return await tx.get(f"{resource}.value")
