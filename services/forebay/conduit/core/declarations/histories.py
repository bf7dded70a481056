"""The last samples of the node's publishers, for peers that subscribe later and ask for them.

While a subscription catches up, publishers that it matches wait: what they had sent has to be at the peer (which passes
over it), then come the samples that were kept and a mark that these were all, and once the peer has acknowledged that,
what is fresh. So nothing comes twice, and the order is kept.
"""

from __future__ import annotations

from collections import Counter, deque
from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.wire.extras import Extra
from forebay.conduit.core.wire.messages import Data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.publisher import PublisherSettings
    from forebay.conduit.core.declarations.directory import Directory
    from forebay.conduit.core.declarations.errands import Announcer, Errands
    from forebay.conduit.core.declarations.peerbook import RemoteSubscription

LOOK_AGAIN = 0.002
"""Seconds between two looks whether a peer has acknowledged what it has to."""


class History:
    """The last samples of one resource, at most so many and of so many octets together."""

    def __init__(self, most_octets: int) -> None:
        self.publishers: Counter[int] = Counter()
        """By how many samples they keep."""
        self.samples: deque[bytes] = deque()
        self._most_octets = most_octets
        self._octets = 0

    def keep(self, samples: Sequence[bytes]) -> None:
        """Samples were written."""
        most = max(self.publishers)
        latest = samples[-most:]
        self.samples += latest
        self._octets += sum(map(len, latest))
        while len(self.samples) > most or self._octets > self._most_octets:
            self._octets -= len(self.samples.popleft())


class _CatchingUp:
    """How far a subscription is."""

    __slots__ = ("marks", "told")

    def __init__(self) -> None:
        self.marks: tuple[int, ...] | None = None
        """What the peer has to acknowledge next."""
        self.told = False
        """Whether the samples are on their way."""


class Histories:
    """By the id of the resource."""

    def __init__(self, most_octets: int, directory: Directory, errands: Errands, announcer: Announcer) -> None:
        self._most_octets = most_octets
        self._directory = directory
        self._errands = errands
        self._announcer = announcer
        self._histories: dict[int, History] = {}
        self._catching_up: dict[RemoteSubscription, _CatchingUp] = {}

    def publish(self, settings: PublisherSettings) -> None:
        """There is a publisher."""
        if settings.history:
            history = self._histories.setdefault(settings.rid, History(self._most_octets))
            history.publishers[settings.history] += 1

    def unpublish(self, settings: PublisherSettings) -> None:
        """There is one less; with the last of a resource its samples go."""
        if settings.history:
            publishers = self._histories[settings.rid].publishers
            publishers[settings.history] -= 1
            if not publishers[settings.history]:
                del publishers[settings.history]
            if not publishers:
                del self._histories[settings.rid]

    def keep(self, rid: int, samples: Sequence[bytes]) -> None:
        """A publisher that keeps samples has written some."""
        self._histories[rid].keep(samples)

    def begin(self, subscription: RemoteSubscription, before: RemoteSubscription | None) -> None:
        """A peer subscribes, in place of another subscription if it had one, which may have had what it asked for."""
        served = before is not None and before.history and not before.catching_up
        agreed = Extra.HISTORY in self._announcer.agreement(subscription.peer).offered
        if subscription.history and subscription.pushed and agreed and not served:
            subscription.catching_up = True
            self._catching_up[subscription] = _CatchingUp()
            self._errands.wake()

    def forget(self, subscription: RemoteSubscription) -> None:
        """There is no such subscription any more."""
        self._catching_up.pop(subscription, None)

    def housekeep(self, now: float) -> None:
        """Go on with those that catch up."""
        for subscription, catching in list(self._catching_up.items()):
            if catching.marks is None:
                catching.marks = self._mark(subscription, now)
            elif not self._announcer.passed(subscription.peer, catching.marks):
                continue
            elif catching.told:
                del self._catching_up[subscription]
                subscription.catching_up = False
                self._directory.changed()
            else:
                self._tell(subscription)
                catching.told, catching.marks = True, None

    def due(self, now: float) -> float:
        """When `housekeep` has something to do."""
        return now + LOOK_AGAIN if self._catching_up else inf

    def _mark(self, subscription: RemoteSubscription, now: float) -> tuple[int, ...] | None:
        # It has to know what the ids stand for.
        book = self._directory.books[subscription.peer.index]
        return self._announcer.mark(subscription.peer, now) if book.caught_up else None

    def _tell(self, subscription: RemoteSubscription) -> None:
        book, names = self._directory.books[subscription.peer.index], self._directory.names
        uri = names.uri(subscription.rid, book.ids)
        matching = {subscription.rid, *(names.resources.matching(uri) if uri else ())}
        kept = ((rid, self._histories[rid]) for rid in sorted(matching) if rid in self._histories)
        for rid, history in kept:
            latest = list(history.samples)[-subscription.history :]
            self._errands.tell(subscription.peer, *(_sample(subscription.rid, rid, each) for each in latest))
        self._errands.tell(subscription.peer, _sample(subscription.rid, 0, b""))


def _sample(rid: int, prid: int, payload: bytes) -> Data:
    return Data(0, True, False, 0, rid, prid, payload)
