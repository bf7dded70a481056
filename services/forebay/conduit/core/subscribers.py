"""Subscriptions of the node itself, and handing samples to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from forebay.conduit.core.wire.declarations import SubscriptionMode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.wire.declarations import Period

Guard = tuple[tuple[int, int], ...]
"""Publishers by number, and octets of payload that each has to have room for."""


class Delivery(NamedTuple):
    """Samples of one resource, from one peer, in order."""

    peer_id: bytes
    rid: int
    """The resource or selection that was written; 0 when the peer named the resource by its URI."""
    uri: str
    """What it stands for; empty when nobody has defined it."""
    payloads: list[bytes]


class Handler(Protocol):
    """Takes samples."""

    def __call__(self, delivery: Delivery) -> int | None:
        """How many of the samples, from the first one on, it takes; None: all. The others come again."""
        ...


class Subscription(NamedTuple):
    """One subscriber of the node."""

    number: int
    rid: int
    handler: Handler
    guard: Guard = ()
    """The handler runs only when all of these fit into the windows at once."""
    mode: SubscriptionMode = SubscriptionMode.PUSH
    period: Period | None = None
    """With the periodic modes."""
    history: int = 0
    """So many of the last samples of each resource are wanted at first."""


class Recipients(NamedTuple):
    """Whom a sample is for."""

    subscriptions: Sequence[Subscription]
    rid: int
    """Of the resource that was written; 0 when it was named by its URI."""
    uri: str
    """Empty when nobody has defined it."""


def hand_over(
    delivery: Delivery, subscriptions: Sequence[Subscription], admits: Callable[[Guard], bool], taken: set[int]
) -> int:
    """Give samples to their subscribers; returns how many, from the first one on, all of them have taken.

    `taken` remembers who has had the first of the others: nobody gets a sample twice because another one refused it.
    """
    if len(subscriptions) == 1 and not subscriptions[0].guard and not taken:
        accepted = subscriptions[0].handler(delivery)
        return len(delivery.payloads) if accepted is None else accepted
    for place, payload in enumerate(delivery.payloads):
        if not _give(delivery._replace(payloads=[payload]), subscriptions, admits, taken):
            return place
        taken.clear()
    return len(delivery.payloads)


def _give(
    delivery: Delivery, subscriptions: Sequence[Subscription], admits: Callable[[Guard], bool], taken: set[int]
) -> bool:
    for subscription in subscriptions:
        if subscription.number in taken:
            continue
        if not admits(subscription.guard) or subscription.handler(delivery) == 0:
            return False
        taken.add(subscription.number)
    return True
