"""Bodies for connections: from memory while they are new, else from the message store."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from forebay.msgstore import COLD, MessageStore
from forebay.outfeed.token import Token

if TYPE_CHECKING:
    from forebay.outfeed.sending.feed import Bodies as Loaded

_key = itemgetter(1)

RECENT_BYTES = 4 << 20
"""Octets of the newest articles that are kept in memory: a live feed to any number of peers then reads nothing."""


class Bodies:
    """Loads bodies in wire form."""

    def __init__(self, store: MessageStore) -> None:
        self._store = store
        self._recent: OrderedDict[bytes, bytes] = OrderedDict()
        """By key, the oldest first."""
        self._recent_bytes = 0
        self._fetches: set[asyncio.Task[None]] = set()

    def keep(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        """Articles that just came in; the oldest make room for them."""
        recent = self._recent
        for key, body in bodies:
            if key not in recent:
                recent[key] = body
                self._recent_bytes += len(body)
        while self._recent_bytes > RECENT_BYTES:
            self._recent_bytes -= len(recent.popitem(last=False)[1])

    def load(self, tokens: Sequence[Token], later: "Callable[[Loaded], None]") -> "Loaded | None":
        """As `Feed.load` has it: bodies in order, or None, and `later` is called with them."""
        keys = list(map(_key, tokens))
        bodies = list(map(self._recent.get, keys))
        absent = [key for key, body in zip(keys, bodies, strict=True) if body is None]
        if not absent:
            return bodies
        read = self._store.read(absent)
        if COLD in read:
            self._spawn(self._fetch(keys, later))
            return None
        found = (body for body in read if body is not COLD)
        return [next(found) if body is None else body for body in bodies]

    def _spawn(self, fetch: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(fetch)
        self._fetches.add(task)
        task.add_done_callback(self._fetches.discard)

    async def _fetch(self, keys: list[bytes], later: "Callable[[Loaded], None]") -> None:
        later(await self._store.fetch(keys))

    async def close(self) -> None:
        """Wait for the reads that are under way."""
        await asyncio.gather(*self._fetches)
