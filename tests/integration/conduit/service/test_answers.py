"""Queries of peers that programs answer by a service."""

import asyncio

import pytest
from structlog.testing import capture_logs

from eventually import eventually
from forebay.conduit.clients.attachments import Quota
from forebay.runtime import InvalidArgumentError, ResourceExhaustedError
from integration.conduit.service.following import peers


@pytest.fixture
async def two(make_node):
    """Two services that have met: one is asked, the other one asks."""
    press = make_node("press", extras={"fragments": {"maxSample": "1MiB"}})
    await press.start()
    oven = make_node("oven", peers=[press.place])
    await oven.start()
    await peers(press, 1)
    return press, oven


async def asked(server, uri, deadline=20.0):
    """Replies, and who has not answered."""
    async with server.client() as client:
        responses = [response async for response in client.query(uri, b"?", deadline=deadline)]
    replies = [(reply.uri, reply.payload) for response in responses for reply in response.replies]
    return sorted(replies), list(responses[-1].unanswered)


async def test_programs_answer_queries_of_peers(two, attach):
    press, oven = two
    one, other = await attach(press), await attach(press)
    seen = []

    async def flour(query):
        seen.append(query)
        return [("/recipe/bread", b"flour"), ("/recipe/cake", b"sugar")]

    async def salt(query):
        return [("/recipe/soup", b"salt")]

    await one.answer("/recipe/*", flour)
    answering = await other.answer("/recipe/soup", salt)
    everything = [("/recipe/bread", b"flour"), ("/recipe/cake", b"sugar"), ("/recipe/soup", b"salt")]
    assert await asked(oven, "/recipe/*") == (everything, [])
    [query] = seen
    assert (query.uri, query.payload) == ("/recipe/*", b"?")
    async with oven.client() as client:
        assert query.peer_id == (await client.node()).peer_id
    await answering.close()
    assert await asked(oven, "/recipe/soup") == (everything[:2], [])
    assert await asked(oven, "/other") == ([], [])


async def test_a_program_that_is_gone_or_fails_has_nothing_to_say(two, attach):
    press, oven = two
    attached = await attach(press)
    waiting = asyncio.Event()

    async def never(query):
        waiting.set()
        await asyncio.Event().wait()

    async def fail(query):
        raise RuntimeError("out of order")

    await (await attach(press)).answer("/broken", fail)
    assert await asked(oven, "/broken") == ([], [])
    await attached.answer("/never", never)
    asking = asyncio.ensure_future(asked(oven, "/never"))
    await waiting.wait()
    await attached.__aexit__(None, None, None)
    assert await asking == ([], [])
    attachments = press.service.node.attachments
    await eventually(lambda: attachments.counted(Quota.RESOURCES) == 1)


async def test_an_answer_that_is_too_large_is_told_and_the_query_ends(two, attach):
    press, oven = two

    async def answer(query):
        return [("/large", bytes(8 << 20))]

    await (await attach(press)).answer("/large", answer)
    with capture_logs() as logs:
        assert await asked(oven, "/large") == ([], [])
        await eventually(lambda: [each for each in logs if each["event"] == "an answer could not be sent"])


async def test_what_cannot_be_answered_is_refused(make_node, attach):
    press = make_node(limits={"resources": 1})
    await press.start()
    attached = await attach(press)

    async def nothing(query):
        return []

    with pytest.raises(InvalidArgumentError, match="does not start with /"):
        await attached.answer("recipe", nothing)
    await attached.answer("/recipe", nothing)
    with pytest.raises(ResourceExhaustedError, match=r"limits\.resources is 1"):
        await attached.answer("/other", nothing)
