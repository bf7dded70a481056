"""Which messages of a named publisher a queue has had already."""

from collections.abc import Sequence, Set

NAMES = 10_000
"""Publishers a queue remembers; beyond it the one that was not heard of for longest is forgotten."""
REFUSED = 10_000
"""Messages it refused that it remembers; beyond it the oldest counts as one that it has had."""


class Numbers:
    """The highest number taken from each publisher, which of them are not noted on disk yet, and what was refused.

    A refused message may come again under its number. The disk does not know of it: once a later one was taken, the
    refused one is passed over after a restart.
    """

    def __init__(self) -> None:
        self._highest: dict[bytes, int] = {}
        self._news: dict[bytes, int] = {}
        self._refused: dict[tuple[bytes, int], None] = {}

    def restore(self, name: bytes, number: int) -> None:
        """The disk says so."""
        self._highest[name] = max(number, self._highest.get(name, -1))

    def known(self, name: bytes, first: int, positions: Sequence[int]) -> Set[int]:
        """Those of a batch that were taken before. first: number of the message at position 0."""
        highest = self._highest.get(name, -1)
        if highest < first:
            return frozenset()
        refused = self._refused
        return {at for at in positions if first + at <= highest and (name, first + at) not in refused}

    def refuse(self, name: bytes, numbers: Sequence[int]) -> None:
        """These were not taken."""
        self._refused.update(dict.fromkeys((name, number) for number in numbers))
        while len(self._refused) > REFUSED:
            del self._refused[next(iter(self._refused))]

    def take(self, name: bytes, first: int, positions: Sequence[int]) -> None:
        """These of a batch, in order, were taken. first: number of the message at position 0."""
        if self._refused:
            for position in positions:
                self._refused.pop((name, first + position), None)
        highest = max(first + positions[-1] if positions else -1, self._highest.pop(name, -1))
        if highest >= 0:
            self._highest[name] = self._news[name] = highest
        if len(self._highest) > NAMES:
            del self._highest[next(iter(self._highest))]

    def news(self) -> dict[bytes, int]:
        """What has to be noted on disk; once."""
        news, self._news = self._news, {}
        return news
