# An explicit state machine: begin, lock, judge, write, commit; the commit is sent again until there is an answer.
from leasehold import Duplicate, StaleFencingToken, TransactionOver, TransportError


class Write:
    def __init__(self, db, resource, token, value):
        self.db, self.resource, self.token, self.value = db, resource, token, value
        self.tx = None
        self.step = self.begin

    async def run(self):
        try:
            while self.step is not None:
                self.step = await self.step()
        finally:
            await self.end()

    async def end(self):
        tx, self.tx = self.tx, None
        if tx is not None:
            try:
                await tx.rollback()
            except (TransportError, TransactionOver):
                pass

    async def begin(self):
        self.tx = await self.db.begin()
        return self.create

    async def create(self):
        try:
            await self.tx.insert(self.resource, {"mark": self.token, "value": self.value})
            return self.commit
        except Duplicate:
            return self.judge

    async def judge(self):
        record = await self.tx.get_for_update(self.resource)
        if record["mark"] > self.token:
            raise StaleFencingToken(self.resource)
        return self.overwrite

    async def overwrite(self):
        await self.tx.put(self.resource, {"mark": self.token, "value": self.value})
        return self.commit

    async def commit(self):
        for _ in range(3):
            try:
                await self.tx.commit()
            except TransportError:
                continue
            except TransactionOver:
                # Committed by an earlier attempt, or given up by the database: do it all again.
                self.tx = None
                return self.begin
            self.tx = None
            return None
        raise TransportError("no answer to three commits")


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        await Write(self._db, resource, token, value).run()

    async def read(self, resource):
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
