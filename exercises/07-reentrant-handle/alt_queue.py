"""Questions about a name stand in a queue that a task serves. Who gives up while it waits takes its question along."""

from leasehold import Cancelled, Signal, TransportError, spawn


class Handle:
    def __init__(self, place, owner, on_lost):
        self.place, self.grant, self.owner, self.on_lost = place, place.grant, owner, on_lost
        self.fencing_token = place.grant.fencing_token
        self.held = True

    def is_held(self):
        return self.held

    async def release(self, owner):
        if owner != self.owner:
            raise RuntimeError(f"this is {self.owner}'s")
        if self.held:
            self.held = False
            self.place.handles.remove(self)
            if not self.place.handles:
                self.place.grant = None
                await self.place.service.release(self.grant.name, self.grant.ownership_token)


class Question:
    def __init__(self, ttl, owner, on_lost):
        self.ttl, self.owner, self.on_lost = ttl, owner, on_lost
        self.answered = Signal()
        self.handle = None
        self.problem = None


class Place:
    """Serves the questions about one name, one after the other, in a task of its own."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.grant, self.owner, self.handles, self.questions, self.busy = None, None, [], [], False

    async def serve(self):
        self.busy = True
        while self.questions:
            question = self.questions.pop(0)
            try:
                if self.grant is None:
                    self.grant = await self.service.acquire(self.name, question.ttl)
                    self.owner = question.owner
                if self.grant is not None and self.owner == question.owner:
                    question.handle = Handle(self, question.owner, question.on_lost)
                    self.handles.append(question.handle)
            except Exception as problem:
                question.problem = problem
            question.answered.set()
        self.busy = False


class LockRegistry:
    def __init__(self, service):
        self.service = service
        self.places = {}

    async def acquire(self, name, ttl, owner, on_lost=None):
        if name not in self.places:
            self.places[name] = Place(self.service, name)
        place = self.places[name]
        question = Question(ttl, owner, on_lost)
        place.questions.append(question)
        if not place.busy:
            place.busy = True
            spawn(place.serve())
        try:
            await question.answered.wait()
        except Cancelled:
            spawn(self.clean_up(question))
            raise
        if question.problem is not None:
            raise question.problem
        return question.handle

    async def clean_up(self, question):
        await question.answered.wait()
        if question.handle is not None:
            try:
                await question.handle.release(question.owner)
            except TransportError:
                pass

    def lost(self, name, fencing_token):
        place = self.places.get(name)
        if place is None or place.grant is None or place.grant.fencing_token != fencing_token:
            return
        place.grant = None
        handles, place.handles = place.handles, []
        for handle in handles:
            handle.held = False
        for handle in handles:
            if handle.on_lost is not None:
                try:
                    handle.on_lost()
                except Exception as problem:
                    print(problem)
