"""The journal of a channel: lines that innd has handed over and the outfeed has not confirmed, in a file."""

import asyncio
import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

SHRINK = 8 << 20
"""Octets above which a file is written anew, with the lines alone that are not confirmed."""


class Journal:
    """The journal of one channel; a second channel waits until the first has ended.

    What is added survives the end of the process, not that of the machine: the pipe from innd would not either.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = -1
        self._file = -1

    async def __aenter__(self) -> Self:
        """Raises `OSError`."""
        lock = self._path.with_name(f"{self._path.name}.lock")
        self._lock = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        await asyncio.to_thread(fcntl.flock, self._lock, fcntl.LOCK_EX)
        self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        os.close(self._lock)

    @property
    def is_long(self) -> bool:
        """Whether it should be written anew."""
        return os.fstat(self._file).st_size > SHRINK

    def left(self) -> list[str]:
        """Lines that were not confirmed when the last channel ended, and maybe some that were."""
        text = self._path.read_bytes().decode("utf-8", "surrogateescape")
        # A line without its end was cut off by the end of the machine.
        return text.split("\n")[:-1]

    def add(self, lines: Iterable[str]) -> None:
        """Keep lines. Raises `OSError`."""
        rest = memoryview(_encoded(lines))
        while rest:  # a disk that is nearly full takes a part
            rest = rest[os.write(self._file, rest) :]

    def rewrite(self, lines: Iterable[str]) -> None:
        """Hold these lines alone. Raises `OSError`; what it held is then held still."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.write_bytes(_encoded(lines))
        new.replace(self._path)
        os.close(self._file)
        self._open()

    def _open(self) -> None:
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
