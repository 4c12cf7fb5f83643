# The rules are a generator that yields operations and never awaits; a small interpreter runs them in a transaction.
from leasehold import Duplicate, StaleFencingToken


def put_fenced(resource, token, value):
    new = dict(mark=token, value=value)
    old = yield "get_for_update", resource
    while old is None:
        try:
            yield "insert", resource, new
            return
        except Duplicate:
            old = yield "get_for_update", resource
    if token < old["mark"]:
        raise StaleFencingToken(old["mark"])
    yield "put", resource, new


def get_value(resource):
    record = yield "get", resource
    return record["value"] if record else None


class FencedStore:
    def __init__(self, db):
        self._db = db

    async def _run(self, script):
        async with await self._db.begin() as tx:
            answer = error = None
            while True:
                try:
                    verb, *args = script.throw(error) if error else script.send(answer)
                except StopIteration as end:
                    return end.value
                answer = error = None
                try:
                    answer = await getattr(tx, verb)(*args)
                except Duplicate as duplicate:
                    error = duplicate

    async def write(self, resource, token, value):
        await self._run(put_fenced(resource, token, value))

    async def read(self, resource):
        return await self._run(get_value(resource))
