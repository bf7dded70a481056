"""Direct reads: bodies from their files without asking the writer, neighbours by one read."""

import asyncio
import errno
import struct
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from itertools import pairwise
from struct import Struct
from typing import Final, Literal

from google_crc32c import extend

from forebay.msgstore.catalogue import Catalogue
from forebay.msgstore.index import OFFSET_BITS, OFFSET_MASK, Place, Where
from forebay.msgstore.messagefile import MessageFile
from forebay.msgstore.record import HEAD_SIZE, SUMMED_FROM, Codec

RUN = 1 << 20
"""Octets read at once at most, but for a longer record."""

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
_SUM_AND_TAIL_SIZE = _SUM_AND_TAIL.size


class _Request:
    """One call of `read`: what was asked, what was found so far, what it took."""

    __slots__ = ("bodies", "buffer", "calls", "cold", "ids", "octets", "read", "wait")

    def __init__(self, ids: Sequence[bytes], buffer: memoryview, wait: bool) -> None:
        self.ids = ids
        self.buffer = buffer
        self.wait = wait
        self.bodies: list[Body] = [None] * len(ids)
        self.calls = self.octets = self.read = self.cold = 0


class Reader:
    """Reads bodies; safe in any thread."""

    def __init__(self, catalogue: Catalogue, codec: Codec) -> None:
        self._catalogue = catalogue
        self._codec = codec
        self._buffers: list[memoryview] = []
        """Not in use: fresh memory costs more, page by page, than all the rest of a read."""
        self._pool = ThreadPoolExecutor(1, "msgstore-reader")

    def read(self, ids: Sequence[bytes], *, wait: bool) -> list[Body]:
        """Bodies in the order of the ids, checksums verified: see `MessageStore.read`. wait: for a cold disk."""
        catalogue = self._catalogue
        places, files, flying = catalogue.pin(ids)
        request = _Request(ids, self._take_buffer(), wait)
        try:
            for run in _runs(places):
                self._read_run(request, run, files[run[0][0] >> OFFSET_BITS])
        finally:
            self._buffers.append(request.buffer)
            catalogue.unpin(files.values())
            catalogue.count_reads(request.calls, request.octets, request.read, request.cold)
        for position, flight in flying:
            request.bodies[position] = flight.body()
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

    def _take_buffer(self) -> memoryview:
        try:
            return self._buffers.pop()
        except IndexError:
            return memoryview(bytearray(RUN))

    def _read_run(self, request: _Request, run: list[_Wanted], file: MessageFile) -> None:
        start = run[0][0]
        size = run[-1][0] + run[-1][1] + HEAD_SIZE - start
        buffer = request.buffer[:size] if size <= RUN else memoryview(bytearray(size))
        request.calls += 1
        try:
            done = file.opened.pread_into(buffer, start & OFFSET_MASK, wait=request.wait)
        except OSError as error:
            self._read_apart(request, run, file, error)
            return
        if done is None:
            request.cold += len(run)
            for _, _, position in run:
                request.bodies[position] = COLD
        else:
            request.octets += done
            self._decode(request, run, buffer[:done])

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

    def _decode(self, request: _Request, run: list[_Wanted], data: memoryview) -> None:
        """The hottest loop of all: no call in it that could be spared."""
        ids, bodies = request.ids, request.bodies
        head, started = _SUM_AND_TAIL.unpack_from, self._codec.start
        base = run[0][0] - HEAD_SIZE
        damaged: list[tuple[Where, int]] = []
        for where, size, position in run:
            at = where - base
            body = data[at : at + size].tobytes()
            try:
                crc, tail = head(data, at - _SUM_AND_TAIL_SIZE)
            except struct.error:
                damaged.append((where, position))
                continue
            if extend(extend(started, tail), body) == crc and tail.endswith(ids[position]):
                bodies[position] = body
            else:
                damaged.append((where, position))
        request.read += len(run) - len(damaged)
        for where, position in damaged:
            self._catalogue.set_aside(ids[position], where, "its checksum does not match")


def _runs(places: list[Place | None]) -> list[list[_Wanted]]:
    """The places in the order of the disk, grouped into what one read gets."""
    wanted = [(place[0], place[1], position) for position, place in enumerate(places) if place]
    wanted.sort()
    starts: list[int] = []
    limit = reach = -1
    for index, (where, size, _) in enumerate(wanted):
        stop = where + size + HEAD_SIZE
        if where > reach or stop > limit:
            starts.append(index)
            limit = min(where + RUN, where | OFFSET_MASK)
        reach = stop + GAP
    return [wanted[start:stop] for start, stop in pairwise([*starts, len(wanted)])]
