"""What other trackers told of a swarm: peers of both families, and how many there are.

There are two generations of it. What is heard joins the young one; when that is a lifetime old it becomes the old one,
and what was old is forgotten. So a peer that is told of no more stays for one lifetime to two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from forebay.announcer.swarms.sampling import draw

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from forebay.announcer.swarms.sampling import Random

LIFETIME = 3600.0
"""Seconds; few trackers let a client wait longer from one announce to the next."""
MOST = 100
"""Peers of a generation and family; with more, the answers of upstream trackers would fill the memory."""


class News(NamedTuple):
    """What was told within some time."""

    peers: bytes = b""
    """IPv4 peers, 6 octets each."""
    peers6: bytes = b""
    """IPv6 peers, 18 octets each."""
    complete: int = 0
    """Seeders."""
    incomplete: int = 0
    """Leechers."""


NONE = News()


class Outside:
    """No endpoint is in it twice. Times are monotonic seconds."""

    __slots__ = ("_born", "_old", "_young")

    def __init__(self, now: float) -> None:
        self._old = self._young = NONE
        self._born = now

    def __len__(self) -> int:
        """How many peers there are."""
        return sum(len(each.peers) // 6 + len(each.peers6) // 18 for each in (self._old, self._young))

    @property
    def complete(self) -> int:
        """Seeders."""
        return max(self._old.complete, self._young.complete)

    @property
    def incomplete(self) -> int:
        """Leechers."""
        return max(self._old.incomplete, self._young.incomplete)

    def hear(self, news: News, is_insider: Callable[[bytes], bool], now: float) -> None:
        """Another tracker told of these peers; those that announce here themselves are left out."""
        self.is_over(now)
        told, told6 = _others(news.peers, 6, is_insider), _others(news.peers6, 18, is_insider)
        old, young = self._old, self._young
        # The latest come first: those that find no room are the ones of long ago.
        peers = (told | _split(young.peers, 6)).keys()
        peers6 = (told6 | _split(young.peers6, 18)).keys()
        self._young = News(
            b"".join(peers)[: MOST * 6],
            b"".join(peers6)[: MOST * 18],
            max(news.complete, young.complete),
            max(news.incomplete, young.incomplete),
        )
        self._old = old._replace(peers=_without(old.peers, 6, peers), peers6=_without(old.peers6, 18, peers6))

    def is_over(self, now: float) -> bool:
        """Forget what is too old; whether nothing is left."""
        if self._born + LIFETIME <= now:
            self._old = self._young if now < self._born + 2 * LIFETIME else NONE
            self._young, self._born = NONE, now
        return self._young == self._old == NONE

    def discard(self, endpoint: bytes) -> None:
        """This one announces here itself now."""
        self._old, self._young = _discard(self._old, endpoint), _discard(self._young, endpoint)

    def draw(self, width: int, count: int, random: Random) -> bytes:
        """So many of those whose endpoints have this width, or all."""
        row = self._young.peers + self._old.peers if width == 6 else self._young.peers6 + self._old.peers6
        spans = draw(0, len(row) // width, -1, count, random)
        return b"".join([row[start * width : stop * width] for start, stop in spans])


def _split(row: bytes, width: int) -> dict[bytes, None]:
    return {row[at : at + width]: None for at in range(0, len(row), width)}


def _others(row: bytes, width: int, is_insider: Callable[[bytes], bool]) -> dict[bytes, None]:
    return {endpoint: None for endpoint in _split(row, width) if not is_insider(endpoint)}


def _without(row: bytes, width: int, gone: Container[bytes]) -> bytes:
    return b"".join([endpoint for endpoint in _split(row, width) if endpoint not in gone])


def _discard(news: News, endpoint: bytes) -> News:
    if len(endpoint) == 6:
        return news._replace(peers=_without(news.peers, 6, (endpoint,)))
    return news._replace(peers6=_without(news.peers6, 18, (endpoint,)))
