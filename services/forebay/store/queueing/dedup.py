"""Which messages of a named publisher a queue has had already."""

NAMES = 10_000
"""Publishers a queue remembers; beyond it the one that was not heard of for longest is forgotten."""


class Numbers:
    """The highest number taken from each publisher, and which of them are not noted on disk yet."""

    def __init__(self) -> None:
        self._highest: dict[bytes, int] = {}
        self._news: dict[bytes, int] = {}

    def restore(self, name: bytes, number: int) -> None:
        """The disk says so."""
        self._highest[name] = max(number, self._highest.get(name, -1))

    def known(self, name: bytes, first: int, count: int) -> int:
        """How many of consecutive numbers were taken before; the first ones."""
        highest = self._highest.get(name, -1)
        return max(0, min(count, highest + 1 - first))

    def take(self, name: bytes, number: int) -> None:
        """Numbers up to this one were taken."""
        self._highest[name] = max(number, self._highest.pop(name, -1))
        if len(self._highest) > NAMES:
            del self._highest[next(iter(self._highest))]
        self._news[name] = self._highest[name]

    def news(self) -> dict[bytes, int]:
        """What has to be noted on disk; once."""
        news, self._news = self._news, {}
        return news
