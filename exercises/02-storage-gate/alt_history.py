from typing import Any, NamedTuple

from leasehold import Database, Duplicate, StaleFencingToken


class Version(NamedTuple):
    token: int
    value: Any


class FencedStore:
    """Keeps every accepted version of a resource, in one row; the last one counts."""

    def __init__(self, db: Database):
        self._db = db

    async def write(self, resource: str, token: int, value: Any) -> Version:
        version = Version(token, value)
        async with await self._db.begin() as tx:
            try:
                await tx.insert(resource, [version])
            except Duplicate:
                history = [Version(*stored) for stored in await tx.get_for_update(resource)]
                if history[-1].token > version.token:
                    raise StaleFencingToken(f"{history[-1]} came before {version}") from None
                await tx.put(resource, [*history, version])
        return version

    async def read(self, resource: str) -> Any:
        async with await self._db.begin() as tx:
            history = await tx.get(resource)
        if not history:
            return None
        return Version(*history[-1]).value
