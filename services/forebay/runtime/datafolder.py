"""The folder in which a service keeps its data: of one process at a time."""

import os
from pathlib import Path

from forebay.runtime.errors import SettingsError
from forebay.runtime.filelease import FileLease


class DataFolder:
    """Holds a lock, which ends with the process at the latest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLease(path / "lock")
        self._holder = f"pid {os.getpid()}"

    async def take(self) -> None:
        """Make the folder if there is none, and lock it. Raises `SettingsError` when another process uses it."""
        self._path.mkdir(parents=True, exist_ok=True)
        if await self._lock.take(self._holder, 0) is None:
            holder = await self._lock.holder()
            raise SettingsError(f"the data folder {self._path} is in use by {holder}: stop it, or use another folder")

    async def release(self) -> None:
        """Unlock it."""
        await self._lock.release(self._holder)
