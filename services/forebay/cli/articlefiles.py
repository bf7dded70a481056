"""Articles in files: each file is one, with CRLF line ends, neither dot-stuffed nor ended by a dot."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice
from pathlib import Path

from forebay.cli.errors import InputError
from forebay.runtime.clock import Clock

STANDARD_INPUT = Path("-")
TOGETHER = 64
"""Files that are read in one go."""
SUFFIX = ".article"


def article_files(paths: Iterable[Path]) -> list[Path]:
    """The files meant: a folder stands for its article files, in the order of their names.

    Raises `InputError` when a path is not there or a folder has none.
    """
    return [file for path in paths for file in _files(path)]


def _files(path: Path) -> list[Path]:
    if path == STANDARD_INPUT or path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file or folder")
    files = sorted(file for file in path.iterdir() if file.suffix == SUFFIX and file.is_file())
    if not files:
        raise InputError(
            f"{path}: holds no file that ends in {SUFFIX}", "Name another folder, or the files themselves."
        )
    return files


def read_article(file: Path) -> bytes:
    """The octets of an article. Raises `OSError`."""
    return sys.stdin.buffer.read() if file == STANDARD_INPUT else file.read_bytes()


async def read_articles(files: Sequence[Path]) -> AsyncIterator[bytes]:
    """The articles of files, in their order, read beside the event loop. Raises `OSError`."""
    remaining = iter(files)
    while some := list(islice(remaining, TOGETHER)):
        for article in await asyncio.to_thread(_read_together, some):
            yield article


async def paced(articles: AsyncIterator[bytes], pace: float, clock: Clock) -> AsyncIterator[bytes]:
    """The same articles, at most so many a second. What was late is not caught up with."""
    due = clock.monotonic()
    async for article in articles:
        await clock.sleep(due - clock.monotonic())
        due = max(due, clock.monotonic()) + 1 / pace
        yield article


def _read_together(files: Sequence[Path]) -> list[bytes]:
    return [read_article(file) for file in files]
