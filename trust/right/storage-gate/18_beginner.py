# Step by step with a comment on each line; the transaction is ended by hand in each branch.
from leasehold import Duplicate, StaleFencingToken


class FencedStore:

    def __init__(self, db):
        self.db = db

    async def write(self, resource, token, value):
        # 1. start a transaction
        tx = await self.db.begin()
        try:
            # 2. try to make the row, if nobody has made it
            try:
                await tx.insert(resource, {"mark": -1, "value": None})
            except Duplicate:
                # it is there, that is fine too
                pass
            # 3. lock it (if we have just made it we have it anyway)
            row = await tx.get_for_update(resource)
            # 4. compare the tokens
            too_old = False
            if row["mark"] > token:
                too_old = True
            # 5. write if it is not too old
            if not too_old:
                row["mark"] = token
                row["value"] = value
                await tx.put(resource, row)
        except BaseException:
            # 6. something went wrong so undo everything
            try:
                await tx.rollback()
            except Exception:
                pass
            raise
        # 7. end the transaction
        if too_old:
            try:
                await tx.rollback()
            except Exception:
                # the database will notice in 10 seconds
                pass
            raise StaleFencingToken("too old")
        await tx.commit()

    async def read(self, resource):
        tx = await self.db.begin()
        try:
            row = await tx.get(resource)
        except BaseException:
            try:
                await tx.rollback()
            except Exception:
                pass
            raise
        await tx.commit()
        # no row means that nobody has written
        if row is None:
            return None
        return row["value"]
