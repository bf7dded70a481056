"""Indexes on a real disk beside stores whose own disk may be a double."""

import shutil
from pathlib import Path
from weakref import WeakKeyDictionary

from forebay.msgstore import Disk, DiskIndex, MessageStore


class IndexFolders:
    """A folder for the indexes of each disk. After a power loss it is as it was, for nothing says what it lacks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._of: WeakKeyDictionary[Disk, Path] = WeakKeyDictionary()

    def of(self, disk: Disk) -> Path:
        found = self._of.get(disk)
        if found is None:
            self._made += 1
            found = self._of[disk] = self._folder / str(self._made)
            before = getattr(disk, "before", None)
            if before is not None and self.of(before).exists():
                shutil.copytree(self.of(before), found)
        return found

    def patch(self, monkeypatch) -> None:
        """All stores have their index on disk from now on."""
        opened = MessageStore.open

        def open(disk, settings=None, *, transient=False):
            folder = self.of(disk) / ("transient" if transient else "persistent")
            return opened(disk, settings, transient=transient, index=lambda: DiskIndex(folder))

        monkeypatch.setattr(MessageStore, "open", open)
