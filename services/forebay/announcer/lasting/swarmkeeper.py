"""Keeps the swarms on disk by snapshots, so that they are there after a restart."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pathlib import Path

    from forebay.announcer.swarms.swarmtable import SwarmTable
    from forebay.runtime.clock import Clock


class SwarmKeeper:
    """One for a table of swarms."""

    def __init__(self, table: SwarmTable, folder: Path, interval: float, clock: Clock) -> None:
        self.interval = interval
        """Seconds from one snapshot to the next; may be changed at any time."""

    def load(self) -> int:
        """Bring the peers of the last snapshot back; how many."""
        return 0

    async def run(self) -> NoReturn:
        """Write a snapshot each interval."""
        while True:
            await asyncio.sleep(self.interval)

    async def save(self) -> None:
        """Write a snapshot now."""
