"""The folder of a mirror: emptied when a primary begins anew, handed over when it is promoted."""

import shutil
from pathlib import Path

from forebay.api.v1alpha1 import IndexPlace
from forebay.runtime.clock import Clock
from forebay.store.backing.queuefolder import DATA, in_thread
from forebay.store.mirroring.replica import Replica
from forebay.store.queueing.storage import Storage

UNFINISHED = "copying"
"""Name of the file that says that the folder has not everything: no store may be started on it."""


class CopyFolder:
    """One primary at a time writes to it. Methods raise `OSError` and `MessageStoreError`."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.place = IndexPlace.MEMORY
        """Where the places of messages are kept."""
        self._folder = folder
        self._clock = clock
        self._unfinished = folder / UNFINISHED
        self._storage: Storage | None = None
        self._replica: Replica | None = None

    def lacks_nothing(self, *, first: bool) -> bool:
        """Whether a store may be started on it. first: no pod ever was primary, so that nothing need be there."""
        return not self._unfinished.exists() and (first or (self._folder / DATA).exists())

    async def begin(self, *, sync: bool) -> Replica:
        """Forget everything. sync: what the replica answers is durable."""
        await self.close()
        await in_thread(self._empty)
        self._storage = await Storage.open(self._folder, self._clock, self.place)
        self._replica = Replica(self._storage.disk, self._storage.persistent, sync=sync)
        return self._replica

    def finish(self) -> None:
        """Everything is there."""
        self._unfinished.unlink(missing_ok=True)

    async def close(self) -> None:
        """Write everything and close it, so that a store can start on it."""
        replica, self._replica = self._replica, None
        storage, self._storage = self._storage, None
        if replica:
            await replica.close()
        if storage:
            await storage.close()

    def _empty(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._unfinished.touch()
        if (self._folder / DATA).exists():
            shutil.rmtree(self._folder / DATA)
