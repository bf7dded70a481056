"""Changes for whoever watches, each with a queue of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


class Watch(Generic[T]):
    """What one watcher has not seen yet."""

    def __init__(self, most: int) -> None:
        self.news = asyncio.Event()
        self.overrun = False
        """Whether more has come than may wait."""
        self._most = most
        self._waiting: deque[T] = deque()

    def put(self, change: T) -> None:
        """Something has changed."""
        if len(self._waiting) < self._most:
            self._waiting.append(change)
        else:
            self.overrun = True
        self.news.set()

    def take(self) -> list[T]:
        """All changes that were not taken."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken


class Board(Generic[T]):
    """Watchers do not hold up each other, nor whoever tells."""

    def __init__(self, most: int) -> None:
        """`most`: changes that wait for one watcher."""
        self._most = most
        self._watches: set[Watch[T]] = set()

    def tell(self, change: T) -> None:
        """Tell all watchers."""
        for watch in self._watches:
            watch.put(change)

    @contextmanager
    def watched(self) -> Iterator[Watch[T]]:
        """Watch meanwhile."""
        watch: Watch[T] = Watch(self._most)
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)
