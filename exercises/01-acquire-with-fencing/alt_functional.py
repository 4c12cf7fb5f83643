# The whole state is one NamedTuple; each call is a pure function from state to (state, answer).
from typing import Any, NamedTuple


class Lease(NamedTuple):
    client: Any
    expiry: float


class State(NamedTuple):
    leases: dict
    spent: int


def grant(state, now, name, client, ttl):
    lease = state.leases.get(name)
    if lease is not None and lease.expiry > now:
        return state, None
    token = state.spent + 1
    return State({**state.leases, name: Lease(client, now + ttl)}, token), token


def free(state, name, client):
    if name not in state.leases or state.leases[name].client != client:
        return state, False
    rest = {n: lease for n, lease in state.leases.items() if n != name}
    return state._replace(leases=rest), True


class LockManager:
    def __init__(self, clock):
        self.clock = clock
        self.state = State({}, 0)

    def acquire(self, name, client_id, ttl):
        self.state, token = grant(self.state, self.clock(), name, client_id, ttl)
        return token

    def release(self, name, client_id):
        self.state, freed = free(self.state, name, client_id)
        return freed
