"""What ways in, such as the NNTP listener, ask of the one who takes articles."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol


class Want(Enum):
    """Whether the article of a message-id is worth sending."""

    SEND = "send"
    HAVE = "have"
    """It was seen before."""
    LATER = "later"
    """It is just arriving from elsewhere: ask again."""
    PAUSED = "paused"
    """Nothing is taken in for now."""


class Verdict(Enum):
    """What became of an article."""

    ACCEPTED = "accepted"
    """Kept for the peers that want it."""
    DUPLICATE = "duplicate"
    """Seen before."""
    NO_PEER = "no peer"
    """Good, but no peer wants it."""
    REJECTED = "rejected"
    """No article that may be passed on."""


class Judged(NamedTuple):
    """A verdict on one article."""

    verdict: Verdict
    reason: str = ""
    """Of a rejection: printable ASCII on one line."""
    message_id: bytes = b""
    """As far as it is known."""


class Intake(Protocol):
    """Who takes articles."""

    def wanted(self, message_ids: Sequence[bytes]) -> list[Want]:
        """For each message-id whether its article is worth sending."""
        ...

    async def take(self, articles: Sequence[bytes]) -> list[Judged]:
        """Judge articles in wire form and keep those that a peer wants; returns once every verdict is durable.

        Raises `IntakeFullError` when there is no room: then all of them may be offered again.
        """
        ...
