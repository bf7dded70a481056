"""The storeroom: everything that an outfeed keeps on its disk, opened, flushed and closed in the right order."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import structlog

from forebay.msgstore import DiskFullError, MessageStore, RealDisk, StoreSettings
from forebay.outfeed.bodies import Bodies
from forebay.outfeed.incoming.history import History
from forebay.outfeed.log.feedlog import FeedLog, FeedLogSettings
from forebay.outfeed.log.outcomefiles import OutcomeLogSettings
from forebay.outfeed.log.outcomelog import OutcomeLog
from forebay.runtime.clock import Clock

log = structlog.stdlib.get_logger(__name__)

UNAUDITED = "backlogs not audited"
"""Why bodies are kept: some peer's entries on Redis may be gone, and must be put back first."""
PIECE = 500
"""References let go of before others get their turn on the event loop."""


@dataclass(frozen=True)
class Storeroom:
    """What is on disk. Make it with `open`."""

    folder: Path
    store: MessageStore
    feedlog: FeedLog
    history: History
    outcomes: OutcomeLog
    bodies: Bodies

    @classmethod
    async def open(cls, folder: Path, log_limit: int, remember: timedelta, clock: Clock) -> "Storeroom":
        """Recover what is in a folder; takes seconds where there are millions of articles."""
        return await asyncio.to_thread(cls._open, folder, log_limit, remember, clock)

    @classmethod
    def _open(cls, folder: Path, log_limit: int, remember: timedelta, clock: Clock) -> "Storeroom":
        feedlog = FeedLog.open(RealDisk(folder / "feed"), FeedLogSettings(limit=log_limit))
        store = MessageStore.open(RealDisk(folder / "messages"))
        store.hold(UNAUDITED)
        missing = store.recount(feedlog.references())
        history = History.open(folder / "history", remember)
        if history.dirty:
            history.rebuild(feedlog.articles())
        feedlog.history_mark = feedlog.head - 1
        outcomes = OutcomeLog(RealDisk(folder), OutcomeLogSettings(), clock, feedlog.groups_of)
        log.info("storeroom open", articles=store.stats.messages, missing=len(missing), damage=list(feedlog.damage))
        return cls(folder, store, feedlog, history, outcomes, Bodies(store))

    @property
    def disk_free(self) -> int:
        """Octets that the disk has room for."""
        return RealDisk(self.folder).free_bytes()

    @property
    def disk_full(self) -> bool:
        """Only what frees space may still be written."""
        return self.disk_free < StoreSettings().reserve

    async def flush(self, checkpoints: Mapping[int, int]) -> None:
        """Make releases and the peers' checkpoints durable, then let go of the bodies that nobody needs any more.

        A full disk puts it off. Raises `StoreFailedError`.
        """
        for peer, seq in checkpoints.items():
            self.feedlog.advance(peer, seq)
        try:
            keys = await self.feedlog.flush()
        except DiskFullError as error:
            log.warning("releases cannot be written", reason=str(error))
            return
        for first in range(0, len(keys), PIECE):
            self.store.remove(keys[first : first + PIECE])
            await asyncio.sleep(0)

    async def tidy(self, front: int, now: int) -> None:
        """Write the history, forget what is too old, and delete what of the feed log is needed no more.

        all articles before `front` are in the history by now. Raises `StoreFailedError`.
        """
        self.history.expire(now)
        await asyncio.to_thread(self.history.flush)
        self.feedlog.history_mark = front - 1
        await self.feedlog.tidy()

    async def close(self) -> None:
        """Write everything and close it in order."""
        self.store.remove(await self.feedlog.close())
        await self.bodies.close()
        await asyncio.to_thread(self.outcomes.close)
        await asyncio.to_thread(self.history.close)
        await asyncio.to_thread(self.store.close)
