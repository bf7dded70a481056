"""A job as it is kept: in a row of a timetable, or in an entry of a stream.

Format version 1; integers are big-endian:

    version 1 | flags 1 | event 1 | attempt 2 | port 2 | uploaded 8 | downloaded 8 | left 8 | numwant 4
    | made 8 | scheduled 8 | digest of the forwarder's spec 8 | info hash 20 | peer id 20
    | address 1 + n | key 1 + n | forwarder, the rest, in UTF-8

Times are microseconds since the epoch. What is not told is 0, and has its flag not set.
"""

from __future__ import annotations

from struct import Struct, error
from typing import TYPE_CHECKING, NamedTuple

from forebay.announcer.announce import Announce, Event
from forebay.announcer.forwarding.job import Job

if TYPE_CHECKING:
    from forebay.announcer.forwarding.job import PendingKey

VERSION = 1
COMPACT, NO_PEER_ID, LEFT, NUMWANT, SCHEDULED = (1 << bit for bit in range(5))
"""The flags."""
_HEAD = Struct(">BBBHHQQQIqq8s20s20s")
_EVENTS = (Event.NONE, Event.STARTED, Event.STOPPED, Event.COMPLETED, Event.PAUSED)
_NUMBERS = {event: number for number, event in enumerate(_EVENTS)}
_MICRO = 1_000_000


class Times(NamedTuple):
    """Both clocks at one instant."""

    monotonic: float
    """Seconds."""
    wall: float
    """Seconds since the epoch."""

    def kept(self, at: float) -> int:
        """Microseconds since the epoch at a monotonic time."""
        return round((at - self.monotonic + self.wall) * _MICRO)

    def restored(self, at: int) -> float:
        """The monotonic time of so many microseconds since the epoch."""
        return at / _MICRO - self.wall + self.monotonic


class Kept(NamedTuple):
    """What was kept of a job."""

    job: Job
    digest: bytes
    """Of the spec of its forwarder."""


def key_of(key: PendingKey) -> bytes:
    """The key of a job's row."""
    info_hash, forwarder, peer_id = key
    return info_hash + peer_id + forwarder.encode()


def due(job: Job, times: Times) -> int:
    """When a job is to run, or was queued: microseconds since the epoch."""
    return times.kept(job.made if job.scheduled is None else job.scheduled)


def encode(job: Job, digest: bytes, times: Times) -> bytes:
    """The octets of a job."""
    announce = job.announce
    flags = (
        COMPACT * announce.compact
        | NO_PEER_ID * announce.no_peer_id
        | LEFT * (announce.left is not None)
        | NUMWANT * (announce.numwant is not None)
        | SCHEDULED * (job.scheduled is not None)
    )
    head = _HEAD.pack(
        VERSION,
        flags,
        _NUMBERS[announce.event],
        min(job.attempt, 0xFFFF),
        announce.port,
        _bounded(announce.uploaded, 8),
        _bounded(announce.downloaded, 8),
        _bounded(announce.left or 0, 8),
        _bounded(announce.numwant or 0, 4),
        times.kept(job.made),
        times.kept(job.scheduled) if job.scheduled is not None else 0,
        digest,
        announce.info_hash,
        announce.peer_id,
    )
    return b"".join([head, _sized(announce.address), _sized(announce.key), job.forwarder.encode()])


def decode(octets: bytes, times: Times) -> Kept:
    """The job that these octets are. Raises `ValueError`."""
    try:
        version, flags, event, attempt, port, *numbers, made, scheduled, digest, info_hash, peer_id = _HEAD.unpack_from(
            octets
        )
        uploaded, downloaded, left, numwant = numbers
        address, at = _sized_at(octets, _HEAD.size)
        key, at = _sized_at(octets, at)
        happened = _EVENTS[event]
    except (error, IndexError) as problem:
        raise ValueError(f"{len(octets)} octets are no job: {problem}") from problem
    if version != VERSION or len(address) not in (4, 16):
        raise ValueError(f"a job of format version {version}; this release reads {VERSION}")
    announce = Announce(
        info_hash=info_hash,
        peer_id=peer_id,
        port=port,
        uploaded=uploaded,
        downloaded=downloaded,
        left=left if flags & LEFT else None,
        event=happened,
        numwant=numwant if flags & NUMWANT else None,
        key=key,
        address=address,
        compact=bool(flags & COMPACT),
        no_peer_id=bool(flags & NO_PEER_ID),
    )
    at_time = times.restored(scheduled) if flags & SCHEDULED else None
    return Kept(Job(announce, octets[at:].decode(), times.restored(made), at_time, attempt), digest)


def _bounded(number: int, octets: int) -> int:
    return min(number, (1 << 8 * octets) - 1)


def _sized(octets: bytes) -> bytes:
    return bytes([len(octets)]) + octets


def _sized_at(octets: bytes, at: int) -> tuple[bytes, int]:
    """What stands at a place with its size before it, and where the next thing begins."""
    end = at + 1 + octets[at]
    if end > len(octets):
        raise IndexError("it ends too early")
    return octets[at + 1 : end], end
