"""Hands each process to the program under attack, which says when it takes itself for the holder."""

import _leasehold


def believes(holds, token=None):
    _leasehold.note("believes", {"name": "report", "token": token, "holds": holds})


async def play(client, program):
    await program["client"](client, believes)
