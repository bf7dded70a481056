"""Samples that are kept for subscribers of peers: until they are pulled, or until their time comes."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from forebay.conduit.core.declarations.peerbook import PULLING
from forebay.conduit.core.declarations.periods import opens_at
from forebay.conduit.core.wire.declarations import SubscriptionMode
from forebay.conduit.core.wire.messages import Data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.declarations.errands import Errands
    from forebay.conduit.core.declarations.peerbook import RemoteSubscription


class Keeper:
    """Answers pulls, and gives samples to periodic subscribers while these are open.

    What it sends has the subscription's id as the first, and that of the resource that was written as the second; an
    answer to a pull ends with a second id of 0.
    """

    def __init__(self, most_octets: int, errands: Errands) -> None:
        """`most_octets`: of what is kept for one subscription."""
        self._most_octets = most_octets
        self._errands = errands
        self._waiting: dict[RemoteSubscription, None] = {}
        """Periodic ones that get something once they are open."""

    def keep(self, subscriptions: Sequence[RemoteSubscription], rid: int, samples: Sequence[bytes], now: float) -> None:
        """Samples were written."""
        for subscription in subscriptions:
            subscription.kept.extend((rid, sample) for sample in samples)
            octets = sum(len(sample) for _, sample in subscription.kept)
            while octets > self._most_octets:
                octets -= len(subscription.kept.popleft()[1])
            if subscription.mode == SubscriptionMode.PERIODIC_PUSH:
                self._serve(subscription, now)

    def pull(self, subscription: RemoteSubscription, limit: int | None, now: float) -> bool:
        """A peer asks for what is kept; whether its subscription is one that may."""
        if subscription.mode not in PULLING:
            return False
        room = subscription.kept.maxlen or 0
        subscription.asked = min(room, room if limit is None else limit)
        self._serve(subscription, now)
        return True

    def forget(self, subscription: RemoteSubscription) -> None:
        """There is no such subscription any more."""
        self._waiting.pop(subscription, None)

    def housekeep(self, now: float) -> None:
        """Serve those whose time has come."""
        for subscription in list(self._waiting):
            self._serve(subscription, now)

    def due(self, now: float) -> float:
        """When `housekeep` has something to do."""
        return min((opens_at(each.period, each.since, now) for each in self._waiting), default=inf)

    def _serve(self, subscription: RemoteSubscription, now: float) -> None:
        if opens_at(subscription.period, subscription.since, now) > now:
            if subscription not in self._waiting:
                self._waiting[subscription] = None
                self._errands.wake()
            return
        self._waiting.pop(subscription, None)
        pushed = subscription.mode == SubscriptionMode.PERIODIC_PUSH
        count = len(subscription.kept) if pushed else min(subscription.asked or 0, len(subscription.kept))
        given = [subscription.kept.popleft() for _ in range(count)]
        if not pushed:
            given.append((0, b""))
        subscription.asked = None
        self._errands.tell(subscription.peer, *(_sample(subscription.rid, *each) for each in given))


def _sample(rid: int, prid: int, payload: bytes) -> Data:
    return Data(0, True, False, 0, rid, prid, payload)
