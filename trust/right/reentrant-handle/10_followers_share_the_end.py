# The first caller leaves its outcome in a box, and those who waited for it end in the same way, exceptions included.
from leasehold import Signal


class Box:
    """The outcome of a call under way: nothing yet, a refusal, an exception, or cancelled."""

    def __init__(self, owner):
        self.owner = owner
        self.full = Signal()
        self.refused = False
        self.error = None


class Handle:
    def __init__(self, book, number, owner, grant):
        self._book = book
        self._number = number
        self._owner = owner
        self._grant = grant
        self.fencing_token = grant.fencing_token

    def is_held(self):
        return self._number in self._book

    async def release(self, owner):
        if owner != self._owner:
            raise RuntimeError("another owner's handle")
        if self.is_held():
            await self._book.strike(self._number)


class Book(dict):
    """The open handles of one grant: number -> on_lost."""

    def __init__(self, registry, owner, grant):
        super().__init__()
        self.registry = registry
        self.owner = owner
        self.grant = grant
        self.next = 1

    def open(self, on_lost):
        number, self.next = self.next, self.next + 1
        self[number] = on_lost
        return Handle(self, number, self.owner, self.grant)

    async def strike(self, number):
        del self[number]
        if not self:
            self.registry.books.pop(self.grant.name)
            await self.registry.service.release(self.grant.name, self.grant.ownership_token)


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.books = {}
        self.boxes = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        while True:
            if name in self.books:
                book = self.books[name]
                return book.open(on_lost) if book.owner == owner else None
            box = self.boxes.get(name)
            if box is None:
                return await self.lead(name, ttl, owner, on_lost)
            if box.owner != owner:
                return None
            await box.full.wait()
            if box.error is not None:
                raise box.error
            if box.refused:
                return None

    async def lead(self, name, ttl, owner, on_lost):
        box = self.boxes[name] = Box(owner)
        try:
            grant = await self.service.acquire(name, ttl)
            if grant is None:
                box.refused = True
                return None
            self.books[name] = Book(self, owner, grant)
            return self.books[name].open(on_lost)
        except Exception as error:
            box.error = error
            raise
        finally:
            del self.boxes[name]
            box.full.set()

    def lost(self, name, fencing_token):
        book = self.books.get(name)
        if book is None or book.grant.fencing_token != fencing_token:
            return
        del self.books[name]
        callbacks = list(book.values())
        book.clear()
        errors = []
        for on_lost in filter(None, callbacks):
            try:
                on_lost()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[-1]
