"""The node's own subscribers, some of which stand on a resource whose id is not settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.slots import Slots
from forebay.conduit.core.subscribers import Subscription

if TYPE_CHECKING:
    from forebay.conduit.core.declarations.register import Register
    from forebay.conduit.core.subscribers import Guard, Handler
    from forebay.conduit.core.wire.declarations import Period, SubscriptionMode

UNSETTLED = 0
"""Stands for the id until then."""


class Subscribing:
    """Called by the thread that writes and keeps house. A subscriber has one number from its beginning to its end."""

    def __init__(self, declarations: Register) -> None:
        self._declarations = declarations
        self._subscriptions: Slots[Subscription] = Slots()
        self._expected: set[int] = set()
        """Numbers of those whose id is not settled."""

    def subscribe(
        self,
        rid: int,
        handler: Handler,
        now: float,
        guard: Guard,
        mode: SubscriptionMode,
        period: Period | None,
        history: int,
    ) -> int:
        """See `Node.subscribe`."""
        self._declarations.own.check_mode(rid, mode, period)
        subscription = self._subscriptions.add(
            lambda number: Subscription(number, rid, handler, guard, mode, period, history)
        )
        self._declarations.subscribe(subscription, now)
        return subscription.number

    def expect(
        self,
        uri: str,
        handler: Handler,
        guard: Guard,
        mode: SubscriptionMode,
        period: Period | None,
        history: int,
    ) -> int:
        """Declare a subscriber of what matches a URI; peers are told with `settle`, own publishers write to it now."""
        subscription = self._subscriptions.add(
            lambda number: Subscription(number, UNSETTLED, handler, guard, mode, period, history)
        )
        self._expected.add(subscription.number)
        self._declarations.expect(subscription, uri)
        return subscription.number

    def settle(self, number: int, rid: int, now: float) -> None:
        """The id of its resource is settled. Raises `SettingError`: the subscriber stays as it was."""
        expected = self._subscriptions.used(number)
        self._declarations.own.check_mode(rid, expected.mode, expected.period)
        settled = expected._replace(rid=rid)
        self._expected.discard(number)
        self._subscriptions.put(number, settled)
        self._declarations.settle(expected, settled, now)

    def unsubscribe(self, number: int, now: float) -> None:
        """See `Node.unsubscribe`."""
        subscription = self._subscriptions.remove(number)
        if number in self._expected:
            self._expected.discard(number)
            self._declarations.expect_no_more(subscription)
        else:
            self._declarations.unsubscribe(subscription, now)
