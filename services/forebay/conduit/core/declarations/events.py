"""What a node tells of declarations: its own and those of its peers."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forebay.conduit.core.declarations.quality import Told


class DeclarationChange(Enum):
    """What happened to a declaration."""

    DECLARED = "declared"
    FORGOTTEN = "forgotten"
    CONFLICT = "conflict"
    """It contradicts an earlier one; the earlier one stays."""
    REFUSED = "refused"
    """It could not be taken, here or by a peer."""


class DeclarationKind(Enum):
    """What is declared."""

    RESOURCE = "resource"
    PUBLISHER = "publisher"
    SUBSCRIBER = "subscriber"
    SELECTION = "selection"
    LIVELINESS = "liveliness"
    """Its id is the number of the token."""


class Meaning(NamedTuple):
    """What an id stands for."""

    uri: str
    """Empty: nobody has defined it."""
    told: Told
    """The quality of service that was told with it."""
    unicast: bool = False
    """It has one subscriber at most."""


class DeclarationEvent(NamedTuple):
    """One change of one declaration."""

    change: DeclarationChange
    kind: DeclarationKind
    peer_id: bytes
    """Who declared it; empty: the node itself."""
    rid: int
    uri: str = ""
    reason: str = ""
    """CONFLICT and REFUSED: why, for people."""
    first: Meaning | None = None
    """CONFLICT: the one that stays."""
    second: Meaning | None = None
    """CONFLICT: the one that came later."""
