"""What callers are told of calls that fail."""

import asyncio

import pytest

from forebay.client.channels import service_errors
from forebay.runtime import ServiceError, UnavailableError
from forebay.runtime.cutcalls import failed


async def test_a_failure_is_told_as_what_it_stands_for():
    with pytest.raises(UnavailableError, match="gone"), service_errors():
        raise failed("gone")


async def test_who_tries_again_after_failures_can_be_cancelled_all_the_same():
    tries = []

    async def ask():
        tries.append(1)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            # As gRPC does when the call fails at that moment.
            raise failed("gone") from None

    async def keep_asking():
        while True:
            try:
                with service_errors():
                    await ask()
            except ServiceError:
                await asyncio.sleep(0)

    task = asyncio.create_task(keep_asking())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert tries == [1]
