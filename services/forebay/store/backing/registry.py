"""Implementations of queues, found by name through entry points: others can add one by installing a package."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import Any

from forebay.msgstore import Disk
from forebay.runtime.clock import Clock
from forebay.runtime.errors import FieldError
from forebay.store.backing.priorityqueue import PriorityQueue
from forebay.store.backing.protocol import BackingQueue, Bodies

GROUP = "forebay.backing_queues"
"""Entry points of this group are `Opener`s."""


@dataclass(frozen=True)
class Site:
    """Where a queue lives, and what it works with."""

    disk: Disk
    folder: str
    """Of this queue alone; made when missing."""
    bodies: Bodies
    """Contents of persistent messages that are not embedded."""
    passing: Bodies
    """Contents of the others."""
    clock: Clock
    checked: bool = False
    """The invariants are checked after every operation, for debugging."""


Opener = Callable[[Site], Coroutine[Any, Any, BackingQueue]]
"""Opens a queue of one level; recovers what its folder holds."""


def opener(name: str) -> Opener:
    """The implementation of that name. Raises `FieldError` when there is none."""
    known = entry_points(group=GROUP)
    if name not in known.names:
        names = ", ".join(sorted(known.names))
        raise FieldError("spec.implementation", f"{name!r} is no implementation of a queue here: give one of {names}")
    found: Opener = known[name].load()
    return found


async def open_queue(name: str, site: Site, max_priority: int = 0) -> BackingQueue:
    """Open a queue; with priorities it has a folder for each level from 0 to the highest.

    Raises `FieldError` for an unknown implementation, and what a `QueueIndex` raises.
    """
    open_level = opener(name)
    if not max_priority:
        return await open_level(site)
    levels: list[BackingQueue] = []
    try:
        for level in range(max_priority + 1):
            levels.append(await open_level(replace(site, folder=f"{site.folder}/p{level}")))  # noqa: PERF401 - those opened so far are closed on a failure
    except BaseException:
        for queue in levels:
            queue.close()
        raise
    return PriorityQueue(levels)
