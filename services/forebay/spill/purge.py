"""Deleting all that a service has on Redis, once the service itself is no more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from forebay.spill.client import Spill
from forebay.spill.errors import SpillError, SpillHeldError
from forebay.spill.ledger import Depth
from forebay.spill.spool import Spool


async def purge(spill: Spill, wait: float) -> AsyncIterator[Depth]:
    """Take over every owner that the registry names, then delete one after the other; what each had, as it goes.

    Nothing is deleted before all leases are ours, so that a service that still runs loses nothing. What an earlier call
    has left is deleted by the next. Raises `SpillHeldError` when a lease is not given back or run out within `wait`
    seconds, `SpillUnavailableError` and `SpillCheckError`.
    """
    spools = [spill.spool(owner) for owner in await spill.owners()]
    await _take_over(spools, wait)
    for spool in spools:
        state = spool.state
        await spool.purge()
        yield state.backlog + state.deferred + state.resend + state.dead


async def _take_over(spools: list[Spool], wait: float) -> None:
    taken: list[Spool] = []
    try:
        async with asyncio.timeout(wait):
            for spool in spools:
                await spool.load()
                taken.append(spool)
    except TimeoutError:
        held = spools[len(taken)].owner
        await _give_back(taken)
        raise SpillHeldError(
            f"{held}: its lease is held after {wait:g} s, so the service still runs: end it first"
        ) from None


async def _give_back(spools: list[Spool]) -> None:
    for spool in spools:
        # The lease runs out by itself.
        with suppress(SpillError):
            await spool.release()
