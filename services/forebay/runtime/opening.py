"""The first request of a stream, which says what the stream is for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from forebay.runtime.errors import ServiceError

T = TypeVar("T")


async def opening_of(
    requests: AsyncIterator[T], ending: asyncio.Event, stopping: Callable[[], ServiceError]
) -> T | None:
    """The first request; None when there is none. Raises what `stopping` makes when `ending` is set before it comes."""
    first = asyncio.ensure_future(anext(aiter(requests), None))
    ended = asyncio.ensure_future(ending.wait())
    try:
        await asyncio.wait([first, ended], return_when=asyncio.FIRST_COMPLETED)
        if not first.done():
            raise stopping()
        return first.result()
    finally:
        first.cancel()
        ended.cancel()
