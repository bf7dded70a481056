import asyncio

import pytest

from eventually import eventually
from forebay.runtime.errors import UnavailableError
from forebay.runtime.opening import opening_of


def stopping():
    return UnavailableError("the service stops")


async def requests(*sent):
    for each in sent:
        yield each


async def silent(asked):
    asked.set()
    await asyncio.Event().wait()
    yield


async def test_it_is_the_first_request():
    assert await opening_of(requests("first", "second"), asyncio.Event(), stopping) == "first"


async def test_a_stream_may_have_none():
    assert await opening_of(requests(), asyncio.Event(), stopping) is None


async def test_nobody_waits_for_it_when_the_service_ends():
    asked, ending = asyncio.Event(), asyncio.Event()
    waiting = asyncio.ensure_future(opening_of(silent(asked), ending, stopping))
    await eventually(asked.is_set)
    ending.set()
    with pytest.raises(UnavailableError, match="the service stops"):
        await waiting
