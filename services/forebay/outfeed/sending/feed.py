"""What a connection needs of the peerfeed it works for, and how it tells what became of each article."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.msgstore.disk import Buffer
    from forebay.outfeed.sending.connection import Connection
    from forebay.outfeed.sending.ending import Ending
    from forebay.outfeed.token import Token

    Bodies = Sequence[Buffer | None]


class Outcome(Enum):
    """How one offer of an article to a peer ended."""

    ACCEPTED = "accepted"
    """239: the peer has the article."""
    REFUSED = "refused"
    """438: the peer does not want it."""
    REJECTED = "rejected"
    """439, or a 431 that a server wrongly gives to TAKETHIS."""
    DEFERRED = "deferred"
    """431 to CHECK, 436, or 403 (a fault of the peer that passes): to be offered again later."""
    FAILED = "failed"
    """5xx, or a code that does not belong to the command: the article may be one that this peer cannot take."""
    MISSING = "missing"
    """Its body is gone; nothing was sent."""


class Feed(Protocol):
    """The peerfeed as its connections see it. Every method is called from the event loop and returns at once.

    Each token that `take` gave comes back exactly once, by `settle` or by `give_back`.
    """

    def take(self, limit: int) -> list[Token]:
        """Up to `limit` tokens to be offered next, in order; none when there is nothing now.

        The feed calls `Connection.wake` when there is something again.
        """

    def load(self, tokens: Sequence[Token], later: Callable[[Bodies], None]) -> Bodies | None:
        """The bodies of `tokens`, in order, in wire form with their terminating dot; None for a body that is gone.

        Returns None when some are not in memory: they are then being read, and `later` is called once, from the event
        loop, with all of them. Until then the connection asks for no other bodies, but goes on with CHECK.
        """

    def suspect(self, tokens: list[Token]) -> None:
        """The peer failed at these between proper answers to others: it is they that are at fault.

        Each was settled as FAILED, or will be in the same turn.
        """

    def settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:
        """The peer is done with `tokens`; `reply` is its answer without the message-id, such as `439 Duplicate`."""

    def give_back(self, tokens: list[Token]) -> None:
        """The connection ended before these were sent or answered; they are in the order in which they were taken."""

    def up(self, connection: Connection) -> None:
        """The peer takes articles from now on."""

    def down(self, connection: Connection, ending: Ending) -> None:
        """The connection ended, whether it was ever up or not. Called once, after `give_back`.

        It is the last call, but when the feed closes the connection out of `settle`: the outcomes of the same read
        follow then.
        """
