# The book is an immutable mapping that is replaced as a whole by pure functions; handles are numbers in a frozenset.
from types import MappingProxyType
from typing import NamedTuple

from leasehold import Signal


class Page(NamedTuple):
    owner: str
    grant: object
    handles: frozenset = frozenset()


def put(book, name, page):
    return MappingProxyType({**book, name: page})


def tear_out(book, name):
    return MappingProxyType({n: page for n, page in book.items() if n != name})


def with_handle(book, name, handle):
    page = book[name]
    return put(book, name, page._replace(handles=page.handles | {handle}))


def without_handle(book, name, handle):
    """The new book, and the grant if that was its last handle."""
    page = book[name]
    rest = page.handles - {handle}
    if rest:
        return put(book, name, page._replace(handles=rest)), None
    return tear_out(book, name), page.grant


class Handle:
    def __init__(self, registry, name, owner, grant, on_lost):
        self.registry, self.name, self.owner, self.grant, self.on_lost = registry, name, owner, grant, on_lost
        self.fencing_token = grant.fencing_token

    def is_held(self):
        page = self.registry.book.get(self.name)
        return page is not None and self in page.handles

    async def release(self, owner):
        if owner != self.owner:
            raise RuntimeError("owner")
        if not self.is_held():
            return
        self.registry.book, last = without_handle(self.registry.book, self.name, self)
        if last is not None:
            await self.registry.service.release(last.name, last.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.book = MappingProxyType({})
        self.calls = MappingProxyType({})

    async def acquire(self, name, ttl, owner, on_lost=None):
        page = self.book.get(name)
        while page is None and name in self.calls:
            await self.calls[name].wait()
            page = self.book.get(name)
        if page is None:
            grant = await self.call(name, ttl, owner)
            if grant is None:
                return None
        elif page.owner == owner:
            grant = page.grant
        else:
            return None
        handle = Handle(self, name, owner, grant, on_lost)
        self.book = with_handle(self.book, name, handle)
        return handle

    async def call(self, name, ttl, owner):
        ended = Signal()
        self.calls = put(self.calls, name, ended)
        try:
            grant = await self.service.acquire(name, ttl)
            if grant is not None:
                self.book = put(self.book, name, Page(owner, grant))
            return grant
        finally:
            self.calls = tear_out(self.calls, name)
            ended.set()

    def lost(self, name, fencing_token):
        page = self.book.get(name)
        if page is None or page.grant.fencing_token != fencing_token:
            return
        self.book = tear_out(self.book, name)
        problem = None
        for handle in page.handles:
            try:
                (handle.on_lost or (lambda: None))()
            except Exception as e:
                problem = e
        if problem:
            raise problem
