"""Calls that this side has cut off."""

import asyncio

import grpc
import pytest

from forebay.runtime.cutcalls import cut_off, failed


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


async def test_without_a_cut_nothing_is_changed():
    with cut_off(LookupError):
        pass
    with pytest.raises(KeyError), cut_off(LookupError):
        raise KeyError


def test_a_failed_call_tells_its_code_and_problem():
    error = failed("gone", grpc.StatusCode.CANCELLED)
    assert (error.code(), error.details()) == (grpc.StatusCode.CANCELLED, "gone")
    assert failed("gone").code() is grpc.StatusCode.UNAVAILABLE
