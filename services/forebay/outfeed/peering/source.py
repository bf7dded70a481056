"""What the lines of a peer need of the peerfeed that they work for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.outfeed.sending.feed import Bodies, Outcome
    from forebay.outfeed.token import Token


class Source(Protocol):
    """The peerfeed as its lines see it: `Feed` without the coming and going of connections."""

    def take(self, limit: int) -> list[Token]:
        """See `Feed`."""

    def load(self, tokens: Sequence[Token], later: Callable[[Bodies], None]) -> Bodies | None:
        """See `Feed`."""

    def suspect(self, tokens: list[Token]) -> None:
        """See `Feed`."""

    def settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:
        """See `Feed`."""

    def give_back(self, tokens: list[Token]) -> None:
        """See `Feed`."""

    def broke(self, token: Token) -> None:
        """The peer broke the connection at this article, which was alone on it."""

    def connected(self) -> None:
        """The first line is up."""

    def disconnected(self) -> None:
        """The last line is gone."""
