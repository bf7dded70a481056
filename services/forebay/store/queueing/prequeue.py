"""What a queue process is to be: it decides by itself at each start, so that it may come back as another."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from forebay.msgstore import Disk
from forebay.store.backing.protocol import BackingQueue
from forebay.store.backing.registry import Site, open_queue
from forebay.store.queueing.spec import QueueSpec

T = TypeVar("T")

FOLDER = "queues"
"""Each queue has a folder of the name of its identity in it."""


class Role(Enum):
    """What a queue process becomes."""

    FRESH = "fresh"
    """There is nothing of it on disk that counts."""
    RECOVERING = "recovering"
    """It goes on from what is on disk."""


def folder_of(uid: str) -> str:
    """Where the queue of an identity lives."""
    return f"{FOLDER}/{uid}"


def decide(spec: QueueSpec, *, found: bool) -> Role:
    """found: the queue has a folder. A transient queue is fresh at each start, of the service and of its own."""
    return Role.RECOVERING if found and spec.durable else Role.FRESH


async def become(role: Role, spec: QueueSpec, site: Site) -> BackingQueue:
    """Open the queue as what it is to be. Raises `FieldError`, and what its index raises."""
    folder = folder_of(spec.uid)
    if role is Role.FRESH:
        await in_thread(lambda: erase(site.disk, folder))
    return await open_queue(spec.implementation, replace(site, folder=folder), spec.max_priority)


def erase(disk: Disk, folder: str) -> None:
    """Delete a folder and what is in it, down to the levels of a queue; blocks."""
    if not disk.exists(folder):
        return
    for name in disk.names(folder):
        path = f"{folder}/{name}"
        if name.startswith("p") and "." not in name:
            erase(disk, path)
        else:
            disk.unlink(path)
    disk.remove_folder(folder)


async def in_thread(work: Callable[[], T]) -> T:
    """Do what blocks."""
    return await asyncio.get_running_loop().run_in_executor(None, work)
