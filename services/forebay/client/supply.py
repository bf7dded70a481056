"""Articles on their way from where they come from into batches: as many a batch as are at hand."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence

from forebay.client.errors import ArticleTooLargeError
from forebay.client.settings import OfferSettings

Articles = Iterable[bytes] | AsyncIterable[bytes]

AHEAD = 2
"""Batches that are read ahead."""


class Supply:
    """Reads a source of articles ahead, bounded, while batches are taken from the other end."""

    def __init__(self, articles: Articles, settings: OfferSettings) -> None:
        self._articles = articles
        self._settings = settings
        self._ready: list[bytes] = []
        self._octets = 0
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False

    async def fill(self) -> None:
        """Read the source to its end.

        Raises what the source raises, and `ArticleTooLargeError`; what was read before can still be taken.
        """
        try:
            number = 0
            async for article in each(self._articles):
                if len(article) > self._settings.article_octets:
                    raise ArticleTooLargeError(number, len(article), self._settings.article_octets)
                number += 1
                self._ready.append(article)
                self._octets += len(article)
                self._some.set()
                if self._is_full:
                    self._room.clear()
                    await self._room.wait()
        finally:
            self._ended = True
            self._some.set()

    @property
    def _is_full(self) -> bool:
        settings = self._settings
        return self._octets >= AHEAD * settings.batch_octets or len(self._ready) >= AHEAD * settings.batch_articles

    async def take(self) -> Sequence[bytes]:
        """The next batch; empty at the end of the source. Nothing is lost when this is cancelled."""
        while not self._ready and not self._ended:
            self._some.clear()
            await self._some.wait()
        count, octets = 0, 0
        for article in self._ready[: self._settings.batch_articles]:
            if count and octets + len(article) > self._settings.batch_octets:
                break
            count, octets = count + 1, octets + len(article)
        batch, self._ready = self._ready[:count], self._ready[count:]
        self._octets -= octets
        self._room.set()
        return batch


async def each(articles: Articles) -> AsyncIterator[bytes]:
    """The articles of either kind of source."""
    if isinstance(articles, AsyncIterable):
        async for article in articles:
            yield article
    else:
        for article in articles:
            yield article
