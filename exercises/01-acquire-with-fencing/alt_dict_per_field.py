# One dict per field. A release of one's own lease that has run out says False.
class LockManager:
    def __init__(self, clock):
        self.clock = clock
        self.owner = {}
        self.deadline = {}
        self.token = {}
        self.next_token = 1

    def _held(self, name):
        return name in self.owner and self.clock() < self.deadline[name]

    def acquire(self, name, client_id, ttl):
        if self._held(name):
            return None
        self.owner[name] = client_id
        self.deadline[name] = self.clock() + ttl
        self.token[name] = self.next_token
        self.next_token += 1
        return self.token[name]

    def release(self, name, client_id):
        if not self._held(name) or self.owner[name] != client_id:
            return False
        for field in (self.owner, self.deadline, self.token):
            field.pop(name)
        return True
