# The state is an immutable value; a pure function turns (state, command) into (new state, answer).
from functools import partial
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple


class Row(NamedTuple):
    client: Any
    expiry: float


class State(NamedTuple):
    rows: Mapping = MappingProxyType({})
    token: int = 0


def without(rows, name):
    return MappingProxyType({key: row for key, row in rows.items() if key != name})


def with_row(rows, name, row):
    return MappingProxyType({**rows, name: row})


def expire(state, now):
    alive = {key: row for key, row in state.rows.items() if now < row.expiry}
    return state._replace(rows=MappingProxyType(alive))


def acquire(state, now, name, client, ttl):
    if name in state.rows:
        return state, None
    token = state.token + 1
    return State(with_row(state.rows, name, Row(client, now + ttl)), token), token


def release(state, now, name, client):
    row = state.rows.get(name)
    if row is None or row.client != client:
        return state, False
    return state._replace(rows=without(state.rows, name)), True


class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._state = State()

    def _do(self, step, *args):
        now = self._clock()
        self._state, answer = step(expire(self._state, now), now, *args)
        return answer

    def acquire(self, name, client_id, ttl):
        return self._do(acquire, name, client_id, ttl)

    def release(self, name, client_id):
        return self._do(release, name, client_id)
