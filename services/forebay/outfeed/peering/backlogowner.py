"""The peerfeed as its backlog sees it."""

from collections.abc import Iterable
from typing import Protocol

from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.peerqueue import PeerQueue
from forebay.outfeed.token import Token
from forebay.spill import Dropped


class Owner(Protocol):
    """The peerfeed as its backlog sees it."""

    ledger: Ledger
    queue: PeerQueue

    def needs(self, seq: int) -> bool:
        """Whether the peer still needs the article."""

    def logged(self, seq: int) -> bool:
        """Whether an article was handed out of the feed log and is still its own."""

    def needs_all(self, seqs: list[int]) -> bool:
        """Whether `needs` is true of each."""

    def logged_of(self, seqs: list[int]) -> set[int]:
        """Those of which `logged` is true."""

    def disown(self, seqs: Iterable[int]) -> None:
        """These are safe on Redis: the feed log need not keep them for this peer."""

    def dropped(self, dropped: Dropped, tokens: list[Token]) -> None:
        """A limit or a compaction removed these, of which nothing else is on its way."""

    @property
    def next_flush(self) -> int:
        """Number of the flush of the feed log that makes durable what was dropped until now."""

    @property
    def flushed(self) -> int:
        """Number of the last one that is done."""

    @property
    def is_sending(self) -> bool:
        """A line is up that takes what is read back."""

    def refilled(self) -> None:
        """There is something to send again."""
