from leasehold import Database, Deadlock, Duplicate, StaleFencingToken, TransactionOver, TransportError


class FencedStore:
    """A storage that turns away writes from holders that were replaced.

    `db` is a Database: rows with names, transactions, row locks. All that
    must last lives there. Other processes work on the same database, each
    with a FencedStore of its own.

    However a call of write() or read() ends, it leaves no transaction open:
    each that it began it has committed or rolled back, or at least asked the
    database to.
    """

    def __init__(self, db):
        self._db = db

    async def write(self, resource, token, value):
        """Store `value` for `resource`, on behalf of the holder of `token`.

        `resource` is a str, `token` an int from 0 on, `value` anything that
        a row can hold. Raise StaleFencingToken if a greater token was
        accepted for this resource before; then the resource stays as it was.
        Any other token is accepted, an equal one too: return once the value
        and the token are committed (what you return does not matter).

        If the database can't be reached, or another transaction got in the
        way, you may try again or let TransportError, Duplicate, Deadlock or
        TransactionOver pass. The caller does not know then whether the value
        was stored, and calls again with the same token and value.
        """
        record = {"mark": token, "value": value}
        async with await self._db.begin() as tx:
            seen = await tx.get_for_update(resource)
            if seen is None:
                # There is no row to lock yet. Of several first writers insert() lets one through.
                try:
                    await tx.insert(resource, record)
                    return
                except Duplicate:
                    seen = await tx.get_for_update(resource)
            if token < seen["mark"]:
                raise StaleFencingToken(f"token {token} is smaller than the mark {seen['mark']}")
            await tx.put(resource, record)

    async def read(self, resource):
        """The value that was accepted last for `resource`, None if none was.

        The same exceptions may pass.
        """
        async with await self._db.begin() as tx:
            record = await tx.get(resource)
        return None if record is None else record["value"]
