"""What one peer has declared, so that its end costs in proportion to that; and how far it has been told."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from forebay.conduit.core.wire.declarations import PERIODIC, Period, SubscriptionMode

if TYPE_CHECKING:
    from forebay.conduit.core.declarations.quality import Told
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.wire.declarations import Declaration

PUSHING = frozenset({SubscriptionMode.PUSH, SubscriptionMode.PUSH_AND_PULL})
"""Modes whose samples go out as they are written."""
PULLING = frozenset({SubscriptionMode.PULL, SubscriptionMode.PERIODIC_PULL, SubscriptionMode.PUSH_AND_PULL})
"""Modes whose samples are kept until they are asked for."""

SUBSCRIPTION_COMMITS = 128
"""Ids of transactions from here to before its double are of subscriptions, those below of definitions."""
LATE_COMMIT = 2 * SUBSCRIPTION_COMMITS - 1
"""Id of no transaction: in a result that takes back what was taken before; the resource in it tells which."""


class RemoteSubscription:
    """A peer's subscription, with the samples that are kept for it."""

    __slots__ = ("apart", "asked", "catching_up", "history", "kept", "mode", "peer", "period", "rid", "since", "told")

    def __init__(
        self,
        peer: Peer,
        rid: int,
        mode: int,
        period: Period | None,
        told: Told,
        since: float,
        most_kept: int,
        history: int,
    ) -> None:
        self.peer = peer
        self.rid = rid
        self.mode = mode
        self.period = period if mode in PERIODIC else None
        self.told = told
        self.since = since
        """When it was declared: its period counts from there."""
        self.kept: deque[tuple[int, bytes]] = deque(maxlen=most_kept)
        """Resources and payloads."""
        self.history = history
        """So many of the last samples of each resource it asks for at first."""
        self.apart = False
        """Its id stands with its peer for something else than with others."""
        self.catching_up = False
        """It has not got them yet."""
        self.asked: int | None = None
        """How many a pull asked for that waits for its time."""

    @property
    def pushed(self) -> bool:
        """Whether samples go to it as they are written."""
        return self.mode in PUSHING

    @property
    def keeps(self) -> bool:
        """Whether samples are kept for it."""
        return self.mode != SubscriptionMode.PUSH


class PeerBook:
    """One peer."""

    __slots__ = (
        "_commits",
        "caught_up",
        "commits",
        "cursor",
        "gives_history",
        "globals",
        "ids",
        "opened",
        "overflown",
        "peer",
        "pending",
        "publishers",
        "resources",
        "subscriptions",
        "tokens",
    )

    def __init__(self, peer: Peer, *, gives_history: bool) -> None:
        self.peer = peer
        self.gives_history = gives_history
        """Who of the node asks for the last samples gets them of this peer, and before that nothing else."""
        self.opened: set[int] = set()
        """Subscriptions of the node, by resource, that have got them."""
        self.resources: set[int] = set()
        self.publishers: dict[int, Told] = {}
        self.subscriptions: dict[int, RemoteSubscription] = {}
        self.ids: dict[int, str] = {}
        """Its selections and bindings, and what each stands for; also ids of resources that others have defined as
        something else."""
        self.tokens: dict[int, str] = {}
        """What it says is alive."""
        self.globals: set[int] = set()
        """Those of them that are valid for all nodes."""
        self.pending: list[Declaration] = []
        """What waits for a commit."""
        self.overflown = False
        """There was more than may wait."""
        self.cursor = 0
        """Serial of the last entry of the chronicle that it has been told."""
        self.caught_up = False
        """It has acknowledged all that there was when its session began."""
        self.commits: dict[int, int] = {}
        """Ids of transactions of which it has to say whether it takes a subscription, and to what."""
        self._commits = 0

    def holds_back(self, rid: int, history: int) -> bool:
        """Whether the node's subscription waits for the last samples of this peer."""
        return bool(history) and self.gives_history and rid not in self.opened

    def __len__(self) -> int:
        return len(self.resources) + len(self.publishers) + len(self.subscriptions) + len(self.ids) + len(self.tokens)

    def commit(self, rid: int) -> int:
        """An id for such a transaction: the highest half of them take turns."""
        commit_id = SUBSCRIPTION_COMMITS + self._commits % (SUBSCRIPTION_COMMITS - 1)
        self._commits += 1
        self.commits[commit_id] = rid
        return commit_id
