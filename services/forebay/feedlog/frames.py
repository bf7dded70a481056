"""Frames: how records lie in the files of the feed log, so that a damaged one costs nothing but itself.

    frame  = magic (2 octets) | CRC-32C of all that follows (4) | length of the body (4) | body
    header = a frame at the start of a file; body = kind (4) | version (2) | number (8)

All integers are big-endian.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from struct import Struct
from typing import NamedTuple

from google_crc32c import value as crc32c

from forebay.msgstore.errors import FormatError

MAGIC = b"\xfb\x5a"
MAX_BODY = 1 << 16
"""No body is longer; a length beyond it is damage."""
VERSION = 1

_SEAL = Struct(">2sI")
_START = Struct(">2sII")
_LENGTH = Struct(">I")
_HEADER = Struct(">4sHQ")
BODY_OFFSET = _START.size
"""Where the body begins in a frame."""
HEADER_SIZE = BODY_OFFSET + _HEADER.size


class Gap(NamedTuple):
    """A piece of a file in which no sound frame was found."""

    offset: int
    size: int

    def describe(self, name: str, offset: int) -> str:
        """For people: where it is, in a file of which a piece that begins at `offset` was read."""
        return f"{name}: {self.size} octets at {offset + self.offset} are damaged"


def seal(checked: bytes) -> bytes:
    """What goes before a length and its body, given as one, to make a frame of them."""
    return _SEAL.pack(MAGIC, crc32c(checked))


def frame(body: bytes) -> bytes:
    """A whole frame."""
    checked = _LENGTH.pack(len(body)) + body
    return seal(checked) + checked


def header(kind: bytes, number: int) -> bytes:
    """The first frame of a file."""
    return frame(_HEADER.pack(kind, VERSION, number))


def content_start(data: bytes, kind: bytes, name: str) -> int:
    """Where the frames after the header begin; 0 when the header is damaged, which does not keep them from being read.

    Raises `FormatError` when the header is sound and of another kind or version.
    """
    if _frame_end(data, 0) != HEADER_SIZE:
        return 0
    found, version, _ = _HEADER.unpack_from(data, BODY_OFFSET)
    if found != kind or version != VERSION:
        raise FormatError(f"{name} is of kind {found!r}, version {version}; this release reads {kind!r}, {VERSION}")
    return HEADER_SIZE


def scan(data: bytes, gaps: list[Gap], start: int) -> Iterator[tuple[int, int]]:
    """Where each sound frame begins and ends; what lies between them is added to `gaps`.

    After damage the next sound frame is looked for, wherever it begins.
    """
    for run in sound_runs(data, gaps, start):
        yield from pairwise(run)


def sound_runs(data: bytes, gaps: list[Gap], start: int) -> Iterator[list[int]]:
    """The same in runs of frames that follow each other: where each of them begins, and where the last ends."""
    at, size = start, len(data)
    while at < size:
        run = _run(data, at)
        yield run
        at = run[-1]
        if at < size:
            following = _next_frame(data, at + 1)
            gaps.append(Gap(at, following - at))
            at = following


def torn_tail(data: bytes, gaps: list[Gap]) -> int | None:
    """Where the last gap begins when nothing sound follows it: what an unfinished write leaves behind."""
    if gaps and gaps[-1].offset + gaps[-1].size >= len(data):
        return gaps[-1].offset
    return None


def _next_frame(data: bytes, at: int) -> int:
    while (at := data.find(MAGIC, at)) >= 0:
        if _frame_end(data, at):
            return at
        at += 1
    return len(data)


def _frame_end(data: bytes, at: int) -> int:
    """End of the frame that begins at `at`; 0 when none does."""
    run = _run(data, at, 1)
    return run[1] if len(run) > 1 else 0


def _run(data: bytes, at: int, most: int = sys.maxsize) -> list[int]:
    """Where the frames begin that follow each other from `at` on, up to the first that is not sound, and where that is.

    There are millions of them: a call for each would cost as much as the look at it.
    """
    unpack, seal_size, head_size, magic = _START.unpack_from, _SEAL.size, BODY_OFFSET, MAGIC
    run, last = [at], len(data) - head_size
    while at <= last and len(run) <= most:
        begin, crc, length = unpack(data, at)
        end = at + head_size + length
        if begin != magic or length > MAX_BODY or crc32c(data[at + seal_size : end]) != crc or end > last + head_size:
            break
        run.append(end)
        at = end
    return run
