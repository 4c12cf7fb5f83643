# Long, commented, without any helper: a list of lists that is walked through with an index.
class LockManager:

    def __init__(self, clock):
        # remember the clock so that we can ask it for the time later
        self._clock = clock
        # every element is a list: [name, client, expiry]
        self._rows = []
        # the token for the next client
        self._next_token = 1

    def acquire(self, name, client_id, ttl):
        # what time is it?
        time_now = self._clock()
        # look for the lock in the list
        i = 0
        found = False
        while i < len(self._rows):
            if self._rows[i][0] == name:
                found = True
                break
            i = i + 1
        # if it is in the list then somebody has it or had it
        if found == True:
            expiry = self._rows[i][2]
            if time_now < expiry:
                # still running, so the answer is no (for the holder too!)
                return None
            else:
                # over: throw the old row away
                self._rows.pop(i)
        # now it is surely free, so make a new row
        new_row = [name, client_id, time_now + ttl]
        self._rows.append(new_row)
        # take a token and make the next one bigger
        token = self._next_token
        self._next_token = self._next_token + 1
        return token

    def release(self, name, client_id):
        # look for a row with this name and this client
        for row in self._rows:
            if row[0] == name:
                if row[1] == client_id:
                    # found it. remove it and say yes
                    self._rows.remove(row)
                    return True
                else:
                    # somebody else has it
                    return False
        # nothing found
        return False
