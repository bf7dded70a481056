"""Keeps the swarms on disk by snapshots, so that they are there after a restart."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

import structlog

from forebay.announcer.lasting.snapshotfile import DAMAGED, NAME, SnapshotReader, SnapshotWriter
from forebay.announcer.swarms.snapshot import pack_block, pack_swarm
from forebay.msgstore.disk import RealDisk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from forebay.announcer.swarms.swarmtable import SwarmTable
    from forebay.runtime.clock import Clock

SLICE = 0.001
"""Seconds of packing after which clients have their turn."""
REST = 4
"""Times as long clients have the machine then."""
BLOCK = 1 << 18
"""Octets that are written at once, about."""

log = structlog.stdlib.get_logger(__name__)


class SwarmKeeper:
    """One for a table of swarms. Peers that other trackers told of are not kept: those are asked again."""

    def __init__(self, table: SwarmTable, folder: Path, interval: float, clock: Clock) -> None:
        self.interval = interval
        """Seconds from one snapshot to the next; may be changed at any time."""
        self.problem = ""
        """Why the last snapshot could not be written; empty when it was."""
        self._table = table
        self._disk = RealDisk(folder)
        self._path = folder / NAME
        self._clock = clock
        self._lock = asyncio.Lock()

    def load(self) -> int:
        """Bring the peers of the last snapshot back; how many. It blocks, and belongs before the first announce.

        A damaged file is set aside, and what is sound of it is served.
        """
        now, peers = self._clock.monotonic(), 0
        reader = SnapshotReader(self._disk, now, self._clock.wall())
        try:
            for info_hash, record in reader.swarms():
                peers += self._table.restore(info_hash, record, now)
        except OSError as error:
            log.error("the snapshot of swarms cannot be read on", path=str(self._path), problem=str(error))
        if reader.damage:
            aside = str(self._path.with_name(DAMAGED))
            log.error("the snapshot of swarms is damaged and was set aside", path=aside, problem=reader.damage)
        log.info("swarms loaded", swarms=len(self._table), peers=peers)
        return peers

    async def run(self) -> NoReturn:
        """Write a snapshot each interval, a little at a time."""
        while True:
            await self._clock.sleep(self.interval)
            await self._save(REST)

    async def save(self) -> None:
        """Write a snapshot now, as fast as it goes; clients have a turn now and then all the same."""
        await self._save(0)

    @property
    def _offset(self) -> float:
        return self._clock.wall() - self._clock.monotonic()

    async def _save(self, rest: float) -> None:
        async with self._lock:
            try:
                await self._write(rest)
            except OSError as error:
                if not self.problem:
                    log.error("no snapshot of swarms could be written", path=str(self._path), problem=str(error))
                self.problem = f"no snapshot of swarms could be written: {error}"
            else:
                self.problem = ""

    async def _write(self, rest: float) -> None:
        writer = await asyncio.to_thread(SnapshotWriter, self._disk)
        try:
            for block in self._blocks():
                if block:
                    await asyncio.to_thread(writer.write, block)
                await self._clock.sleep(SLICE * rest)
            await asyncio.to_thread(writer.finish)
        except BaseException:
            writer.abandon()
            raise

    def _blocks(self) -> Iterator[bytes]:
        """Blocks as they fill, and nothing whenever a slice of time is over."""
        loop = asyncio.get_running_loop()
        swarms: list[bytes] = []
        size, end = 0, loop.time() + SLICE
        for info_hash in self._table.hashes():
            record = self._table.record(info_hash)
            if record is not None:
                swarms.append(pack_swarm(info_hash, record))
                size += len(swarms[-1])
            if size >= BLOCK:
                yield pack_block(b"".join(swarms), self._offset)
                swarms, size = [], 0
            elif loop.time() >= end:
                yield b""
            else:
                continue
            end = loop.time() + SLICE
        if swarms:
            yield pack_block(b"".join(swarms), self._offset)
