"""Room in the feed log: how much of it waits for peers or for Redis, and how much may."""

from forebay.feedlog.logsegment import SEGMENT_BITS, SLOT_MASK
from forebay.outfeed.errors import LogFullError
from forebay.outfeed.log.logfiles import LogFiles
from forebay.outfeed.log.logwriter import LogWriter
from forebay.outfeed.log.ownership import Ownership


class LogRoom:
    """Measured at each flush; what is appended since is added."""

    def __init__(self, limit: int, files: LogFiles, ownership: Ownership, writer: LogWriter) -> None:
        self.limit = limit
        """Octets that `backlog` may grow to."""
        self._files = files
        self._ownership = ownership
        self._writer = writer
        self._measured = 0
        self._measured_at = 0
        self.measure()

    @property
    def backlog(self) -> int:
        """Octets of records that some peer's checkpoint had not passed at the last flush, and of those since."""
        return self._measured + self._writer.octets - self._measured_at

    @property
    def is_full(self) -> bool:
        """The backlog is over the limit: nothing is appended until a checkpoint moves."""
        return self.backlog > self.limit

    def check(self) -> None:
        """Raise `LogFullError` while it is full."""
        if self.is_full:
            raise LogFullError(
                f"feed log: {self.backlog} octets wait for peers or for Redis, the limit is {self.limit}"
            )

    def measure(self) -> None:
        """Look where the slowest checkpoint is."""
        self._measured_at = self._writer.octets
        front = self._ownership.front()
        self._measured = 0 if front is None else self._files.octets_from(front >> SEGMENT_BITS, front & SLOT_MASK)
