# Beginner's code: many small steps, many comments, a list of answers, and nothing is decided before everybody has spoken.
import random
import string

from leasehold import TransportError


class Lease:
    def __init__(self, name, ownership_token, valid_until):
        self.name = name
        self.ownership_token = ownership_token
        self.valid_until = valid_until
        # So that we don't release it twice.
        self.was_released = False


class Redlock:
    def __init__(self, nodes, clock, drift_factor):
        self.nodes = nodes
        self.clock = clock
        self.drift_factor = drift_factor

    def make_token(self):
        # A random text. SystemRandom can't be guessed.
        letters = string.ascii_letters + string.digits
        generator = random.SystemRandom()
        token = ""
        for i in range(24):
            token = token + generator.choice(letters)
        return token

    async def acquire(self, name, ttl):
        token = self.make_token()

        # Look at the clock BEFORE the first request.
        t1 = self.clock()
        t2 = None
        number_of_yes = 0

        for node in self.nodes:
            try:
                answer = await node.acquire(name, token, ttl)
            except TransportError:
                # Nobody knows. It does not count.
                answer = None
            if answer == True:
                number_of_yes = number_of_yes + 1
                # Is this the one that makes the majority?
                if t2 is None:
                    if number_of_yes > len(self.nodes) / 2:
                        t2 = self.clock()

        if t2 is not None:
            drift = self.drift_factor * ttl
            usable = ttl - (t2 - t1) - drift
            if usable > 0:
                valid_until = t2 + usable
                # The other nodes may have taken long.
                if self.clock() < valid_until:
                    return Lease(name, token, valid_until)

        # It did not work. Clean up everywhere.
        for node in self.nodes:
            try:
                await node.release(name, token)
            except TransportError:
                pass
        return None

    async def release(self, lease):
        if lease.was_released:
            return False
        lease.was_released = True
        everybody_said_true = True
        for node in self.nodes:
            try:
                answer = await node.release(lease.name, lease.ownership_token)
                if answer == False:
                    everybody_said_true = False
            except TransportError:
                everybody_said_true = False
        return everybody_said_true
