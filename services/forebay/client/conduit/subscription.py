"""Samples on their way from the node to who has subscribed."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

from forebay.conduit.transport.wakening import Wakening

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.subscribers import Delivery


class Subscription:
    """An asynchronous iterator of deliveries, each with one or more samples of one resource from one peer, in order.

    When as much waits as may, more stays with its senders: the node goes on to receive everything else.
    """

    def __init__(self, limit: int, forget: Callable[[Subscription], None]) -> None:
        """`limit`: samples that wait; `forget` is called when it ends."""
        self.number = 0
        """The node's number of it."""
        self._limit = limit
        self._forget = forget
        self._waiting: deque[Delivery] = deque()
        self._samples = 0
        self._wakening = Wakening()
        self._closed = False

    def take(self, delivery: Delivery) -> int:
        """The node's handler: how many samples there is room for."""
        payloads = delivery.payloads
        room = self._limit - self._samples
        if len(payloads) > room:
            payloads = payloads[:room]
            delivery = delivery._replace(payloads=payloads)
        if payloads:
            self._samples += len(payloads)
            self._waiting.append(delivery)
            self._wakening.wake()
        return len(payloads)

    def close(self) -> None:
        """End it; what waits can still be taken."""
        if not self._closed:
            self._closed = True
            self._forget(self)
            self._wakening.wake()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delivery:
        """The next delivery."""
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            await self._wakening.wait()
        delivery = self._waiting.popleft()
        self._samples -= len(delivery.payloads)
        return delivery
