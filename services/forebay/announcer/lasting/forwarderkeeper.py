"""Keeps on disk which forwarders are disabled or suspended, so that a restart does not bring them back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pathlib import Path

    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.runtime.clock import Clock


class ForwarderKeeper:
    """One for a dispatcher. `load` comes once its forwarders are configured, and before announces are passed on."""

    def __init__(self, dispatcher: Dispatcher, folder: Path, clock: Clock) -> None:
        pass

    def load(self) -> int:
        """Block the forwarders that were blocked; how many."""
        return 0

    async def run(self) -> NoReturn:
        """Write what has changed, within a second."""
        while True:
            await asyncio.sleep(3600)

    async def save(self) -> None:
        """Write what has changed now."""
