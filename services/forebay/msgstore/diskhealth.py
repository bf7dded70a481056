"""Whether the disk under a queue still does as it is told."""

from time import perf_counter

from forebay.msgstore.disk import File
from forebay.msgstore.errors import DiskFullError, MessageStoreError, StoreFailedError
from forebay.msgstore.stats import QueueIndexStats
from forebay.msgstore.writer import NO_SPACE


class DiskHealth:
    """Makes errors of the disk ours, and remembers the one that is final."""

    def __init__(self, folder: str, stats: QueueIndexStats) -> None:
        self._folder = folder
        self._stats = stats
        self._failed: StoreFailedError | None = None

    def check(self) -> None:
        """Raise `StoreFailedError` when the disk has failed before: what is on it is unknown."""
        if self._failed:
            raise self._failed

    def trouble(self, error: OSError) -> MessageStoreError:
        """What an error of a write means: a full disk, or the end."""
        if error.errno in NO_SPACE:
            return DiskFullError(f"no room for {self._folder} ({error}): free space or enlarge the volume")
        return self._fail(error)

    def sync(self, file: File) -> None:
        """Make a file durable. Raises `StoreFailedError`: a sync that failed is never tried again."""
        begun = perf_counter()
        try:
            file.datasync()
        except OSError as error:
            raise self._fail(error) from error
        self._stats.syncs += 1
        self._stats.sync_seconds += perf_counter() - begun

    def _fail(self, error: OSError) -> StoreFailedError:
        if self._failed is None:
            self._failed = StoreFailedError(f"the disk failed under {self._folder} ({error}): check it, restart")
        return self._failed
