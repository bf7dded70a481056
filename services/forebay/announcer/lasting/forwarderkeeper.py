"""Keeps on disk which forwarders are disabled or suspended, so that a restart does not bring them back."""

from __future__ import annotations

import asyncio
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import structlog

from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.lasting.digest import digest_of
from forebay.msgstore.disk import RealDisk, replace

if TYPE_CHECKING:
    from pathlib import Path

    from forebay.announcer.forwarding.dispatcher import Dispatcher
    from forebay.announcer.forwarding.forwarderstate import ForwarderState
    from forebay.runtime.clock import Clock

NAME = "forwarders.json"
VERSION = 1
PACE = 1.0
"""Seconds from one look at the forwarders to the next."""

log = structlog.stdlib.get_logger(__name__)


class Block(NamedTuple):
    """Why a forwarder gets nothing, and until when."""

    digest: str
    """Of its spec, so that a change of it ends the block."""
    name: str
    """For people who read the file."""
    cause: str
    reason: str
    until: float | None
    """Seconds since the epoch; None: until it is enabled."""


class ForwarderKeeper:
    """One for a dispatcher. `load` comes once its forwarders are configured, and before announces are passed on."""

    def __init__(self, dispatcher: Dispatcher, folder: Path, clock: Clock) -> None:
        self.problem = ""
        """Why the last change could not be written; empty when it was."""
        self._dispatcher = dispatcher
        self._disk = RealDisk(folder)
        self._path = folder / NAME
        self._clock = clock
        self._written: list[Block] = []
        self._lock = asyncio.Lock()

    def load(self) -> int:
        """Block the forwarders that were blocked, unless their specs have changed; how many."""
        try:
            blocks = _parse(self._path.read_bytes())
        except FileNotFoundError:
            return 0
        except (OSError, ValueError) as error:
            log.error(
                "which forwarders are disabled cannot be read; all are tried again",
                path=str(self._path),
                problem=str(error),
            )
            return 0
        states = {digest_of(state.spec).hex(): state for state in self._dispatcher.forwarders.with_paused()}
        known = [block for block in blocks if block.digest in states]
        for block in known:
            self._apply(block, states[block.digest])
        self._written = self._blocks()
        return len(self._written)

    async def run(self) -> NoReturn:
        """Write what has changed, within a second."""
        while True:
            await self._clock.sleep(PACE)
            await self.save()

    async def save(self) -> None:
        """Write what has changed now."""
        async with self._lock:
            blocks = self._blocks()
            if blocks == self._written:
                return
            content = {"version": VERSION, "forwarders": [block._asdict() for block in blocks]}
            try:
                await asyncio.to_thread(replace, self._disk, NAME, json.dumps(content, indent=1).encode())
            except OSError as error:
                if not self.problem:
                    log.error("disabled forwarders could not be written", path=str(self._path), problem=str(error))
                self.problem = f"disabled forwarders could not be written: {error}"
            else:
                self._written, self.problem = blocks, ""

    def _apply(self, block: Block, state: ForwarderState) -> None:
        if block.until is None:
            state.disable(Cause(block.cause), block.reason)
        else:
            wait = block.until - self._clock.wall()
            if wait > 0:
                state.suspend(self._clock.monotonic() + wait, Cause(block.cause), block.reason)

    def _blocks(self) -> list[Block]:
        """Those that are in force; a suspension's end is rounded, so that it stays the same while the clocks drift."""
        now, wall = self._clock.monotonic(), self._clock.wall()
        return [
            Block(
                digest_of(state.spec).hex(),
                state.name,
                state.cause.value if state.cause else Cause.INTERNAL.value,
                state.reason,
                None if state.blocked_until == math.inf else round(state.blocked_until - now + wall, 1),
            )
            for state in self._dispatcher.forwarders.with_paused()
            if state.blocked_until > now
        ]


def _parse(content: bytes) -> list[Block]:
    """The blocks of a file. Raises `ValueError`."""
    document: Any = json.loads(content)
    try:
        if document["version"] != VERSION:
            raise ValueError(f"its format version is {document['version']}, this release reads {VERSION}")
        blocks = [Block(**{name: entry[name] for name in Block._fields}) for entry in document["forwarders"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks what is wanted: {error!r}") from error
    for block in blocks:
        Cause(block.cause)
    return blocks
