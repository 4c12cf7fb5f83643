# An append-only log is all there is; whether a lock is held is read off its last event, the token is the log's length.
class LockManager:
    def __init__(self, clock):
        self._clock = clock
        self._log = []

    def _last(self, name):
        for event in reversed(self._log):
            if event["name"] == name:
                return event
        return {"kind": "freed"}

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        last = self._last(name)
        if last["kind"] == "granted" and last["at"] + last["ttl"] > now:
            return None
        self._log.append({"kind": "granted", "name": name, "client": client_id, "at": now, "ttl": ttl})
        return len(self._log)

    def release(self, name, client_id):
        last = self._last(name)
        if last["kind"] != "granted" or last["client"] != client_id:
            return False
        self._log.append({"kind": "freed", "name": name})
        return True
