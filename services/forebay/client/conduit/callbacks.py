"""Callbacks of subscribers: one delivery after the other, while the node receives on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable, iscoroutinefunction
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from forebay.client.conduit.subscription import Subscription
    from forebay.conduit.core.subscribers import Delivery

Callback = Callable[["Delivery"], object]
"""A coroutine function, which runs on the loop, or any other, which runs on a thread."""

log = structlog.stdlib.get_logger(__name__)


async def call(callback: Callback, subscription: Subscription) -> None:
    """Call it for each delivery. Its errors are logged: the deliveries after it still come."""
    waits = iscoroutinefunction(callback)
    async for delivery in subscription:
        try:
            answer = callback(delivery) if waits else await asyncio.to_thread(callback, delivery)
            if isawaitable(answer):
                await answer
        except Exception:
            log.exception("subscriber failed", uri=delivery.uri, rid=delivery.rid, samples=len(delivery.payloads))
