"""A lease recorded in a lock file, for processes on one machine."""

import asyncio
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forebay.runtime.errors import LeaseError

CONTENT_LIMIT = 4096


class FileLease:
    """The holder has an exclusive `flock`, which the kernel drops when its process ends; the content names the holder.

    The file stays when the lease is released: its epoch has to go on rising.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._descriptor: int | None = None

    async def take(self, holder: str, seconds: float, patience: float = 0.0) -> int | None:
        """Lock the file and write the holder into it; None when another process, or object, has the lock.

        The kernel knows when a holder has ended, so that nobody need be patient.
        """
        with file_errors(self._path):
            return await asyncio.to_thread(self._take, holder)

    async def renew(self, holder: str, seconds: float) -> bool:
        """Whether the file that is locked is still the one that others would lock."""
        with file_errors(self._path):
            return await asyncio.to_thread(self._is_current)

    async def release(self, holder: str) -> None:
        """Leave the epoch alone in the file and unlock it."""
        with file_errors(self._path):
            await asyncio.to_thread(self._release)

    async def holder(self) -> str:
        """Who wrote itself into the file last and did not release it. It may have crashed since."""
        with file_errors(self._path):
            return (await asyncio.to_thread(self._read))[0]

    def _take(self, holder: str) -> int | None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            epoch = read_content(descriptor)[1] + 1
            write_content(descriptor, holder, epoch)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return epoch

    def _is_current(self) -> bool:
        if self._descriptor is None:
            return False
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(self._descriptor))

    def _release(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            write_content(descriptor, "", read_content(descriptor)[1])
        finally:
            os.close(descriptor)

    def _read(self) -> tuple[str, int]:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return "", 0
        try:
            return read_content(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn what the system says of the file into a `LeaseError`."""
    try:
        yield
    except OSError as error:
        raise LeaseError(f"lock file {path}: {error.strerror}") from error


def read_content(descriptor: int) -> tuple[str, int]:
    """Holder and epoch; nobody and 0 for a new file, or one whose writing was cut short.

    An epoch lost that way loses nothing: on one machine the lock alone decides.
    """
    try:
        content = json.loads(os.pread(descriptor, CONTENT_LIMIT, 0))
        return str(content["holder"]), int(content["epoch"])
    except (ValueError, KeyError, TypeError):
        return "", 0


def write_content(descriptor: int, holder: str, epoch: int) -> None:
    """Replace the content, durably."""
    data = json.dumps({"holder": holder, "epoch": epoch}).encode() + b"\n"
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)
