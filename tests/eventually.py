"""Waiting in a test for what will be true soon."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(check: Callable[[], T | Awaitable[T]], *, within: float = 60.0, every: float = 0.02) -> T:
    """Call `check` until it gives something true, and return that.

    `within` (seconds) is a deadline for a busy machine, not an expected duration. A check that fails by assertion is
    repeated too; its last failure, or the last false value, is what the test reports.
    """
    deadline = time.monotonic() + within
    while True:
        failure: AssertionError | None = None
        value: T | None = None
        try:
            result = check()
            value = await result if inspect.isawaitable(result) else result
        except AssertionError as error:
            failure = error
        if value:
            return value
        if time.monotonic() > deadline:
            raise failure or AssertionError(f"{check} was still {value!r} after {within:g} s")
        await asyncio.sleep(every)
