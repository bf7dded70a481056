import asyncio
from types import SimpleNamespace

import pytest

from forebay.conduit.clients.answerstream import MOST_ASKED, AnswerStream
from forebay.conduit.core.declarations.queries import Asked
from forebay.conduit.core.errors import SampleTooLargeError
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.runtime import NotFoundError, UnavailableError

LARGEST = 100


class Participant:
    """Remembers what peers are answered."""

    def __init__(self):
        self.answered = {}
        self.queryables = {}

    def declare_queryable(self, uri, answer):
        self.queryables[len(self.queryables)] = answer
        return len(self.queryables) - 1

    def forget_queryable(self, number):
        del self.queryables[number]

    def answer_later(self, asked, answers, now):
        if any(len(payload) > LARGEST for _, payload in answers):
            raise SampleTooLargeError(1000, LARGEST, "largest_sample")
        self.answered.setdefault(asked.query, []).append(list(answers))

    def ask(self, *queries):
        for query in queries:
            assert self.queryables[0](Asked(SimpleNamespace(peer_id=b"peer"), query, "/a", b"?")) is None


class Requests:
    """What a client sends."""

    def __init__(self):
        self.queue = asyncio.Queue()

    def answer(self, query, *replies):
        found = [pb.Reply(uri=uri, payload=payload) for uri, payload in replies]
        self.queue.put_nowait(pb.AnswerRequest(answers=[pb.QueryAnswer(query=query, replies=found)]))

    async def __aiter__(self):
        while (request := await self.queue.get()) is not None:
            yield request


@pytest.fixture
def participant():
    return Participant()


@pytest.fixture
def stream(participant):
    station = SimpleNamespace(participant=participant, advance=lambda: None)
    return AnswerStream(station).open("/a")


@pytest.fixture
async def running(stream):
    """The responses, of which the first has been read, and the requests."""
    requests = Requests()
    responses = stream.run(aiter(requests))
    assert await anext(responses) == pb.AnswerResponse()
    yield responses, requests
    await responses.aclose()


async def test_queries_go_out_and_answers_come_in(participant, running):
    responses, requests = running
    participant.ask(7, 8)
    response = await anext(responses)
    assert [(each.query, each.peer_id, each.uri, each.payload) for each in response.queries] == [
        (1, b"peer", "/a", b"?"),
        (2, b"peer", "/a", b"?"),
    ]
    requests.answer(2, ("/a", b"two"))
    requests.answer(2, ("/a", b"again"))
    requests.answer(99, ("/a", b"unknown"))
    requests.queue.put_nowait(None)
    with pytest.raises(StopAsyncIteration):
        await anext(responses)
    assert participant.answered == {8: [[("/a", b"two")]]}


async def test_what_is_too_large_is_told_and_answered_with_nothing(participant, running):
    responses, requests = running
    participant.ask(7)
    await anext(responses)
    requests.answer(1, ("/a", bytes(LARGEST + 1)))
    response = await anext(responses)
    assert [each.query for each in response.faults] == [1]
    assert participant.answered == {7: [[]]}


async def test_of_too_many_the_oldest_are_answered_with_nothing(participant, running):
    participant.ask(*range(MOST_ASKED + 3))
    assert participant.answered == {0: [[]], 1: [[]], 2: [[]]}
    response = await anext(running[0])
    assert [each.query for each in response.queries] == list(range(4, MOST_ASKED + 4))


@pytest.mark.parametrize(("end", "error"), [("forget", NotFoundError), ("end", UnavailableError)])
async def test_at_the_end_the_client_is_told(stream, running, end, error):
    getattr(stream, end)()
    with pytest.raises(error):
        await anext(running[0])


async def test_what_waits_is_answered_with_nothing_when_it_is_forgotten(stream, participant):
    participant.ask(7, 8)
    stream.forget()
    assert participant.answered == {7: [[]], 8: [[]]}
    assert participant.queryables == {}
