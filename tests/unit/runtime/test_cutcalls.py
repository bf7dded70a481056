"""Calls that this side has cut off."""

import asyncio
from contextlib import suppress

import grpc
import pytest
from grpc.aio import AioRpcError

from forebay.runtime.cutcalls import cancellable, cut_off, failed


async def test_who_has_cut_a_call_off_is_told_of_a_failure():
    with pytest.raises(LookupError), cut_off(LookupError):
        raise asyncio.CancelledError


async def test_who_is_cancelled_himself_is_so_still():
    async def call():
        with cut_off(LookupError):
            await asyncio.Event().wait()

    task = asyncio.create_task(call())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("guard", [cancellable, lambda: cut_off(LookupError)])
@pytest.mark.parametrize("failure", [failed("the service ends"), asyncio.InvalidStateError("the call is over")])
async def test_a_call_that_fails_while_its_task_is_cancelled_does_not_hide_that(guard, failure):
    async def call():
        while True:
            with suppress(AioRpcError), guard():
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    # As gRPC does when the call fails at that moment.
                    raise failure from None

    task = asyncio.create_task(call())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)


@pytest.mark.parametrize("guard", [cancellable, lambda: cut_off(LookupError)])
async def test_a_failure_of_a_call_stays_one_while_nobody_is_cancelled(guard):
    with pytest.raises(AioRpcError), guard():
        raise failed("gone")


async def test_without_a_cut_nothing_is_changed():
    with cut_off(LookupError):
        pass
    with pytest.raises(KeyError), cut_off(LookupError):
        raise KeyError


def test_a_failed_call_tells_its_code_and_problem():
    error = failed("gone", grpc.StatusCode.CANCELLED)
    assert (error.code(), error.details()) == (grpc.StatusCode.CANCELLED, "gone")
    assert failed("gone").code() is grpc.StatusCode.UNAVAILABLE
