"""The implementation of queues that is there from the start."""

import asyncio

from forebay.msgstore import QueueIndex
from forebay.store.backing.registry import Site
from forebay.store.backing.variablequeue import VariableQueue


async def open_variable(site: Site) -> VariableQueue:
    """Open a `VariableQueue` in its folder."""
    loop = asyncio.get_running_loop()
    index = await loop.run_in_executor(None, QueueIndex, site.disk, site.folder)
    return await VariableQueue.open(index, site.bodies, site.passing, site.clock, checked=site.checked)
