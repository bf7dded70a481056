"""Swarms as octets, many to a block, each block with a checksum and found again behind a damaged one.

Format version 1; integers are little-endian, the checksum is CRC-32C:

    block    magic 4 | version 2 | zero 2 | octets of the swarms 4 | checksum of all else 4 | clock 8 | swarms
    swarm    info hash 20 | downloaded 4 | IPv4 peers 4 | IPv6 peers 4 | lineup of IPv4 | lineup of IPv6
    lineup   nothing without peers, else: seeders 4 | paused 4 | endpoints 6 or 18 each | seen 8 each
             | octets of each client 1 each | clients | endpoints of the paused

Clock is the wall time less the monotonic one, in seconds, and seen is monotonic. A block without swarms is the last.
"""

from __future__ import annotations

import sys
from array import array
from struct import Struct, error
from typing import TYPE_CHECKING, NamedTuple

from google_crc32c import extend, value

from forebay.announcer.swarms.record import EMPTY, Lineup, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1
MAGIC = b"FBsw"
HEAD = Struct("<4sHHII")
_CLOCK = Struct("<d")
_SWARM = Struct("<20sIII")
_LINEUP = Struct("<II")
_WIDTHS = (6, 18)
_MOST = 0xFFFF_FFFF


class Block(NamedTuple):
    """The head of a block."""

    octets: int
    """What follows it."""
    checksum: int


class _Shift(NamedTuple):
    """From the monotonic clock of one process to that of another."""

    now: float
    seconds: float

    def of(self, times: array[float]) -> array[float]:
        """The times by the new clock. What lies in the future, the wall clock having been set back, is now."""
        now, seconds = self
        return array("d", [min(time + seconds, now) for time in times])


def pack_swarm(info_hash: bytes, record: Record) -> bytes:
    """The octets of a swarm."""
    v4, v6 = record.lineups
    head = _SWARM.pack(info_hash, min(record.downloaded, _MOST), len(v4.seen), len(v6.seen))
    return b"".join([head, *_lineup(v4), *_lineup(v6)])


def pack_block(swarms: bytes, clock: float) -> bytes:
    """A block of these swarms. `clock`: the wall time less the monotonic one."""
    body = _CLOCK.pack(clock) + swarms
    head = HEAD.pack(MAGIC, VERSION, 0, len(swarms), 0)
    return HEAD.pack(MAGIC, VERSION, 0, len(swarms), extend(value(head), body)) + body


def read_head(octets: bytes) -> Block | None:
    """The head of a block; None when it is none that this release reads."""
    if len(octets) < HEAD.size:
        return None
    magic, version, _, size, checksum = HEAD.unpack_from(octets)
    return Block(_CLOCK.size + size, checksum) if magic == MAGIC and version == VERSION else None


def unpack_block(block: Block, body: bytes, now: float, wall: float) -> Iterator[tuple[bytes, Record]] | None:
    """Info hashes and swarms of a block, as seen at `now`, by the monotonic clock of this process; None: it is damaged.

    The iterator raises `ValueError` for a block that is sound and makes no sense.
    """
    head = HEAD.pack(MAGIC, VERSION, 0, block.octets - _CLOCK.size, 0)
    if len(body) != block.octets or extend(value(head), body) != block.checksum:
        return None
    return _swarms(body, now, wall)


def _swarms(body: bytes, now: float, wall: float) -> Iterator[tuple[bytes, Record]]:
    (clock,) = _CLOCK.unpack_from(body)
    at = _CLOCK.size
    try:
        while at < len(body):
            info_hash, downloaded, *counts = _SWARM.unpack_from(body, at)
            at += _SWARM.size
            lineups = []
            for width, count in zip(_WIDTHS, counts, strict=True):
                lineup, at = _read_lineup(body, at, width, count, _Shift(now, clock + now - wall))
                lineups.append(lineup)
            if at > len(body):
                raise ValueError("a swarm ends too early")
            yield info_hash, Record(downloaded, (lineups[0], lineups[1]))
    except error as problem:
        raise ValueError(f"a swarm ends too early: {problem}") from problem


def _lineup(lineup: Lineup) -> list[bytes]:
    if not lineup.clients:
        return []
    return [
        _LINEUP.pack(lineup.seeders, len(lineup.paused)),
        lineup.octets,
        _little(lineup.seen).tobytes(),
        bytes(map(len, lineup.clients)),
        *lineup.clients,
        *lineup.paused,
    ]


def _read_lineup(body: bytes, at: int, width: int, count: int, shift: _Shift) -> tuple[Lineup, int]:
    """A lineup, and where it ends."""
    if not count:
        return EMPTY, at
    seeders, paused = _LINEUP.unpack_from(body, at)
    at += _LINEUP.size
    if at + count * (width + 8 + 1) + paused * width > len(body):
        # Known before it is read: numbers of no sense cost nothing.
        raise ValueError(f"a swarm of {count} peers, {paused} of them paused, ends too early")
    octets, at = body[at : at + width * count], at + width * count
    seen = array("d")
    seen.frombytes(body[at : at + 8 * count])
    at += 8 * count
    sizes, at = body[at : at + count], at + count
    clients = []
    for size in sizes:
        clients.append(body[at : at + size])
        at += size
    rest = [body[place : place + width] for place in range(at, at + width * paused, width)]
    return Lineup(octets, clients, shift.of(_little(seen)), seeders, frozenset(rest)), at + width * paused


def _little(times: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return times
    swapped = times[:]
    swapped.byteswap()
    return swapped
