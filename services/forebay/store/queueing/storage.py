"""What lies under all queues of a store: two message stores and a disk, with their figures."""

import asyncio
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from forebay.api.v1alpha1.store import IndexPlace
from forebay.msgstore import (
    Disk,
    DiskIndex,
    MessageIndex,
    MessageStore,
    MessageStoreError,
    RealDisk,
    SlabIndex,
)
from forebay.runtime.clock import Clock
from forebay.store.backing import queuefolder
from forebay.store.backing.protocol import BackingQueue
from forebay.store.backing.queuefolder import DATA, in_thread
from forebay.store.backing.registry import Site, open_queue

log = structlog.stdlib.get_logger(__name__)

INDEXES = "places"
"""Folder in that of the data for the indexes of the message stores, when they are on disk."""


@dataclass(frozen=True)
class Storage:
    """Opened by `open`."""

    disk: Disk
    persistent: MessageStore
    transient: MessageStore
    site: Site
    """What queues are opened with."""

    @classmethod
    async def open(cls, folder: Path, clock: Clock, place: IndexPlace = IndexPlace.MEMORY) -> "Storage":
        """Recover the message stores; up to seconds after a dirty stop. place: where they have their indexes."""
        path = folder / DATA
        await in_thread(lambda: path.mkdir(parents=True, exist_ok=True))
        if place is IndexPlace.DISK:
            return await cls.open_on(RealDisk(path), clock, index=lambda name: DiskIndex(path / INDEXES / name))
        await in_thread(lambda: shutil.rmtree(path / INDEXES, ignore_errors=True))
        return await cls.open_on(RealDisk(path), clock)

    @classmethod
    async def open_on(
        cls,
        disk: Disk,
        clock: Clock,
        *,
        checked: bool = False,
        index: Callable[[str], MessageIndex] = lambda name: SlabIndex(),
    ) -> "Storage":
        """The same on any disk. checked: queues check their invariants after each operation."""
        await in_thread(lambda: disk.make_folder(queuefolder.FOLDER))
        persistent = await in_thread(lambda: MessageStore.open(disk, index=lambda: index("persistent")))
        transient = await in_thread(lambda: MessageStore.open(disk, transient=True, index=lambda: index("transient")))
        return cls(disk, persistent, transient, Site(disk, "", persistent, transient, clock, checked=checked))

    @property
    def recount_needed(self) -> bool:
        """The last stop was not clean: references have to be counted before anything is published."""
        return bool(self.persistent.report.files) and not self.persistent.report.clean

    async def recount(self, queues: Sequence[BackingQueue], strangers: Sequence[str]) -> None:
        """Count the references of all queues. strangers: identities of queues on disk that are not configured."""
        others = [await open_queue("variable", site) for uid in strangers for site in self._levels(uid)]

        def references() -> Iterator[tuple[bytes, int]]:
            for queue in (*queues, *others):
                yield from queue.references()

        missing = await in_thread(lambda: self.persistent.recount(references()))
        for queue in others:
            await in_thread(queue.close)
        log.info("references are counted", queues=len(queues), missing=len(missing))

    async def erase(self, uid: str) -> None:
        """Delete a queue that is not at work, and take the references of its messages back."""
        try:
            for site in self._levels(uid):
                queue = await open_queue("variable", site)
                await in_thread(queue.erase)
        except MessageStoreError as error:
            log.warning("a queue cannot be read; it is deleted", uid=uid, problem=str(error))
        await in_thread(lambda: queuefolder.erase(self.disk, queuefolder.folder_of(uid)))
        log.info("queue is deleted that no StoreQueue describes", uid=uid)

    def strangers(self, known: Iterable[str]) -> list[str]:
        """Identities of queues that are on disk and not among those known."""
        return sorted(set(self.disk.names(queuefolder.FOLDER)) - set(known))

    def _levels(self, uid: str) -> Iterator[Site]:
        """Where the levels of a queue are that is not at work."""
        folder = queuefolder.folder_of(uid)
        for name in queuefolder.levels_in(self.disk, folder) or [""]:
            yield Site(
                self.disk,
                f"{folder}/{name}" if name else folder,
                self.persistent,
                self.transient,
                self.site.clock,
            )

    async def close(self) -> None:
        """Commit what was put and end the threads."""
        await asyncio.gather(in_thread(self.persistent.close), in_thread(self.transient.close))
