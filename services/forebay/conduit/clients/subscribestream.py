"""One Subscribe stream: what a subscriber gets, in as few messages as it is read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from forebay.conduit.errors import stopping
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime.errors import NotFoundError, ResourceExhaustedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from forebay.conduit.clients.declared import Subscriber
    from forebay.conduit.clients.tally import Tally
    from forebay.conduit.core.subscribers import Delivery

BATCH = 4096
"""Samples of one response, about."""
BATCH_OCTETS = 1024 * 1024
"""Octets of them, about; one sample alone may have more."""


class SubscribeStream:
    """Reads a subscriber's queue."""

    def __init__(self, subscriber: Subscriber, tally: Tally) -> None:
        self._subscriber = subscriber
        self._tally = tally
        self._news = asyncio.Event()
        self._ended = False

    def end(self) -> None:
        """The service stops."""
        self._ended = True
        self._news.set()

    async def run(self) -> AsyncGenerator[pb.SubscribeResponse, None]:
        """Responses, of which the first tells that it has begun.

        Raises `ResourceExhaustedError` when it is read too slowly, `NotFoundError` when the subscriber was undeclared,
        and `UnavailableError` after `end`.
        """
        queue = self._subscriber.queue
        queue.wake = self._news.set
        yield pb.SubscribeResponse()
        while True:
            self._news.clear()
            if response := self._due():
                yield response
            elif self._ended:
                raise stopping()
            elif queue.overrun:
                raise ResourceExhaustedError(
                    "the subscriber is read more slowly than samples come: read faster, raise queued_samples, or give "
                    "another slow",
                    reason="TOO_SLOW",
                )
            elif self._subscriber.forgotten:
                raise NotFoundError("the subscriber was undeclared", reason="NOT_DECLARED")
            else:
                await self._news.wait()

    def _due(self) -> pb.SubscribeResponse | None:
        queue = self._subscriber.queue
        taken, missed = queue.drain(BATCH, BATCH_OCTETS), queue.take_missed()
        if not (taken or missed):
            return None
        self._tally.missed += missed
        self._tally.delivered += sum(len(delivery.payloads) for delivery in taken)
        return pb.SubscribeResponse(deliveries=map(delivery_of, taken), missed=missed)


def delivery_of(delivery: Delivery) -> pb.Delivery:
    """A delivery as the API tells it."""
    return pb.Delivery(peer_id=delivery.peer_id, rid=delivery.rid, uri=delivery.uri, samples=delivery.payloads)
