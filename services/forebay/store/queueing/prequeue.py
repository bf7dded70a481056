"""What a queue process is to be: it decides by itself at each start, so that it may come back as another."""

from dataclasses import replace
from enum import Enum

from forebay.store.backing.protocol import BackingQueue
from forebay.store.backing.queuefolder import erase, folder_of, in_thread
from forebay.store.backing.registry import Site, open_queue
from forebay.store.mirroring.followers import Followers
from forebay.store.mirroring.mirrorqueue import MirrorQueue
from forebay.store.queueing.spec import QueueSpec


class Role(Enum):
    """What a queue process becomes."""

    FRESH = "fresh"
    """There is nothing of it on disk that counts."""
    RECOVERING = "recovering"
    """It goes on from what is on disk."""


def decide(spec: QueueSpec, *, found: bool) -> Role:
    """found: the queue has a folder. A transient queue is fresh at each start, of the service and of its own."""
    return Role.RECOVERING if found and spec.durable else Role.FRESH


async def become(role: Role, spec: QueueSpec, site: Site, followers: Followers | None = None) -> BackingQueue:
    """Open the queue as what it is to be. Raises `FieldError`, and what its index raises.

    followers: the mirrors of a store that has some; they hear what happens to queues that outlive a restart.
    """
    folder = folder_of(spec.uid)
    if role is Role.FRESH:
        await in_thread(lambda: erase(site.disk, folder))
    queue = await open_queue(spec.implementation, replace(site, folder=folder), spec.max_priority)
    if followers is None or not spec.durable:
        return queue
    return followers.lead(MirrorQueue(queue, spec.uid, followers.told))
