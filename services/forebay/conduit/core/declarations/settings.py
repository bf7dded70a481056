"""What can be set of a node's declarations."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.uri.syntax import MAX_URI


@dataclass(frozen=True)
class DeclarationSettings:
    """Limits of what peers may declare, and times in seconds."""

    max_uri: int = MAX_URI
    """Characters of the longest URI."""
    most_declarations: int = 16384
    """Declarations that are kept of one peer; of more the peer is told NO_SPACE."""
    most_pending: int = 1024
    """Declarations in one transaction of a peer; of more it is told TRANSACTION_SIZE."""
    batch: int = 64
    """Declarations of the history that go to a late joiner at once; the next ones go when there is room."""
    retry_first: float = 0.02
    """About how long a definition that lost against another one waits before it tries again,"""
    retry_longest: float = 1.0
    """and what that grows to."""
    answer_within: float = 30.0
    """A peer that has not answered by then refuses."""
    tentative_for: float = 5.0
    """How long a peer's definition counts as tentative if the peer does not confirm it, as zhe programs never do."""
    kept_samples: int = 64
    """Samples that are kept for each subscriber that pulls, or gets them at certain times; older ones are dropped."""
    history_octets: int = 1 << 20
    """Octets that the last samples of one resource, kept for late subscribers, have together at most."""
    kept_octets: int = 1 << 20
    """Octets that the samples which are kept for one such subscriber have together at most."""
    most_queries: int = 1024
    """Queries of the node that wait for answers, and of one peer that wait for those of programs."""
    most_untold: int = 16384
    """A peer that so many messages wait for, because it does not acknowledge what it was told, loses its session."""
    most_named: int = 1024
    """URIs that were written by name and defined for that; ids that nobody keeps samples of are forgotten beyond it."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise SettingError(f"{name} is {value}: take more than 0")
