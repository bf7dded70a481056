"""Direct reads: bodies from their files without asking the writer, neighbours by one read."""

import asyncio
import errno
import struct
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from struct import Struct
from typing import Final, Literal

from google_crc32c import extend

from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.index import OFFSET_BITS, OFFSET_MASK, Place, Where
from forebay.msgstore.messagefile import MessageFile
from forebay.msgstore.record import HEAD_SIZE, SUMMED_FROM, Codec

RUN = 1 << 20
"""Octets read at once at most, but for a longer message."""

GAP = 4096
"""Garbage between two records that is read over: cheaper than another call."""


class Temperature(Enum):
    """A stored body that is not in the page cache."""

    COLD = "cold"


COLD: Final = Temperature.COLD
"""Stands for a body that `read` would have to wait for; `fetch` it."""

Body = bytes | Literal[Temperature.COLD] | None

_LOST = frozenset({errno.EIO, errno.ENOENT, errno.EBADMSG, errno.EUCLEAN})
"""What the disk says of octets that will not come back."""

_Wanted = tuple[Where, int, int]
"""Place, octets of the body, position among the ids asked for."""

_SUM_AND_TAIL = Struct(f">I{HEAD_SIZE - SUMMED_FROM}s")


class _Request:
    """One call of `read`: what was asked, what was found so far, what it took."""

    __slots__ = ("bodies", "calls", "cold", "ids", "octets", "read", "wait")

    def __init__(self, ids: Sequence[bytes], wait: bool) -> None:
        self.ids = ids
        self.wait = wait
        self.bodies: list[Body] = [None] * len(ids)
        self.calls = self.octets = self.read = self.cold = 0


class Reader:
    """Reads bodies; safe in any thread."""

    def __init__(self, catalogue: Catalogue, codec: Codec) -> None:
        self._catalogue = catalogue
        self._codec = codec
        self._pool = ThreadPoolExecutor(1, "msgstore-reader")

    def read(self, ids: Sequence[bytes], *, wait: bool) -> list[Body]:
        """Bodies in the order of the ids, checksums verified: see `MessageStore.read`. wait: for a cold disk."""
        catalogue = self._catalogue
        places, files = catalogue.pin(ids)
        request = _Request(ids, wait)
        try:
            for run in _runs(places):
                self._read_run(request, run, files[run[0][0] >> OFFSET_BITS])
        finally:
            catalogue.unpin(files.values())
            catalogue.count_reads(request.calls, request.octets, request.read, request.cold)
        if None in request.bodies:
            self._fill_flying(request, places)
        return request.bodies

    async def fetch(self, ids: Sequence[bytes]) -> list[bytes | None]:
        """As `read`, but what is cold is read in a thread: never COLD."""
        bodies = self.read(ids, wait=False)
        cold = [position for position, body in enumerate(bodies) if body is COLD]
        if cold:
            loop = asyncio.get_running_loop()
            wanted = [ids[position] for position in cold]
            read = await loop.run_in_executor(self._pool, lambda: self.read(wanted, wait=True))
            for position, body in zip(cold, read, strict=True):
                bodies[position] = body
        return [body for body in bodies if body is not COLD]

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown()

    def _read_run(self, request: _Request, run: list[_Wanted], file: MessageFile) -> None:
        start = run[0][0]
        size = run[-1][0] + run[-1][1] + HEAD_SIZE - start
        request.calls += 1
        try:
            handle = file.opened
            read = handle.pread if request.wait else handle.pread_cached
            data = read(size, start & OFFSET_MASK)
        except OSError as error:
            self._read_apart(request, run, file, error)
            return
        if data is None:
            request.cold += len(run)
            for _, _, position in run:
                request.bodies[position] = COLD
        else:
            request.octets += size
            self._decode(request, run, data)

    def _read_apart(self, request: _Request, run: list[_Wanted], file: MessageFile, error: OSError) -> None:
        """A bad block in a run must not take its neighbours with it; other errors are no fault of the record."""
        if error.errno not in _LOST:
            raise error
        if len(run) > 1:
            for wanted in run:
                self._read_run(request, [wanted], file)
        else:
            where, _, position = run[0]
            self._catalogue.set_aside(request.ids[position], where, str(error))

    def _decode(self, request: _Request, run: list[_Wanted], data: bytes) -> None:
        """The hottest loop of all: no call in it that could be spared."""
        ids, bodies = request.ids, request.bodies
        head, started = _SUM_AND_TAIL.unpack_from, self._codec.start
        base = run[0][0]
        damaged: list[_Wanted] = []
        for wanted in run:
            where, size, position = wanted
            at = where - base + HEAD_SIZE
            body = data[at : at + size]
            try:
                crc, tail = head(data, at - _SUM_AND_TAIL.size)
            except struct.error:
                damaged.append(wanted)
                continue
            if extend(extend(started, tail), body) == crc and tail.endswith(ids[position]):
                bodies[position] = body
            else:
                damaged.append(wanted)
        request.read += len(run) - len(damaged)
        for where, _, position in damaged:
            self._catalogue.set_aside(ids[position], where, "its checksum does not match")

    def _fill_flying(self, request: _Request, places: list[Place | None]) -> None:
        for position, (id, place) in enumerate(zip(request.ids, places, strict=True)):
            if place is None:
                request.bodies[position] = self._catalogue.flying(id)


def _runs(places: list[Place | None]) -> list[list[_Wanted]]:
    """The places in the order of the disk, grouped into what one read gets."""
    wanted = [(*place, position) for position, place in enumerate(places) if place]
    wanted.sort()
    runs: list[list[_Wanted]] = []
    limit = end = -1
    for item in wanted:
        where, size, _ = item
        if where > end or where + size > limit:
            runs.append([])
            limit = min(where + RUN, where | OFFSET_MASK)
        runs[-1].append(item)
        end = where + size + HEAD_SIZE + GAP
    return runs
