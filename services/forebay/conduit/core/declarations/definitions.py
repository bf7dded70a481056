"""Resources that the node defines: it asks all peers, and tries again when another node was at the same one."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.quality import properties_of
from forebay.conduit.core.wire.declarations import ResourceDeclaration, ResultStatus
from forebay.conduit.core.wire.extras import unicast_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.declarations.events import Meaning
    from forebay.conduit.core.session.peer import Peer


class Definition:
    """One resource that the node defines, and what has become of that."""

    __slots__ = (
        "asked",
        "awaited",
        "chosen",
        "commit_id",
        "deadline",
        "done",
        "elsewhere",
        "meaning",
        "number",
        "reason",
        "retry_at",
        "rid",
        "serial",
        "status",
        "tries",
        "users",
    )

    def __init__(self, number: int, rid: int | None, meaning: Meaning) -> None:
        self.number = number
        self.rid = 0 if rid is None else rid
        """May change until it is done, if the node has chosen it."""
        self.chosen = rid is None
        self.meaning = meaning
        self.status: ResultStatus | None = None
        """None while peers are asked, or another try is to come."""
        self.reason = ""
        """Why it failed, for people."""
        self.done: Callable[[Definition], None] = ignore
        """Called when `status` is there."""
        self.users = 0
        """Publishers and subscribers of the node that stand on it."""
        self.tries = 0
        """How often another node was at it."""
        self.elsewhere = 0
        """How often the id that the node chose was another resource's."""
        self.retry_at = inf
        self.serial = 0
        """In the chronicle; 0 when it is not there."""
        self.commit_id = -1
        """Of the transaction that is under way; below 0: none is."""
        self.asked: dict[int, Peer] = {}
        """Peers that were asked, by index,"""
        self.awaited: set[int] = set()
        """and those that have not answered."""
        self.deadline = inf

    @property
    def uri(self) -> str:
        """What it defines."""
        return self.meaning.uri

    @property
    def asking(self) -> bool:
        """Whether peers are being asked."""
        return self.commit_id >= 0

    @property
    def due(self) -> float:
        """When there is something to do for it."""
        return self.deadline if self.asking else self.retry_at

    def declaration(self) -> ResourceDeclaration:
        """As it goes to peers."""
        properties = properties_of(self.meaning.told)
        return ResourceDeclaration(
            self.rid, self.meaning.uri, (*properties, unicast_property()) if self.meaning.unicast else properties
        )


def ignore(_definition: Definition) -> None:
    """Nobody waits for it."""
