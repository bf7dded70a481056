"""A Publish stream over a session that does what the test says."""

import asyncio

import pytest

from fakeclock import settle
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import InvalidArgumentError, UnavailableError
from forebay.store import publishstream
from forebay.store.publishstream import PublishStream

from .streams import Reader, Requests


class Session:
    """Takes batches; the test gives the outcomes."""

    def __init__(self):
        self.batches = []
        self.due = []
        self.octets = 0
        self.closed = False
        self.wake = None

    def publish(self, first, messages):
        if first == 666:
            raise InvalidArgumentError("first: 666 is not the next number")
        self.batches.append((first, len(messages)))

    def confirm(self, first, count):
        self.due.append(pb.Confirm(first=first, count=count, outcome=pb.OUTCOME_CONFIRMED))
        self.wake()

    def take(self):
        due, self.due = self.due, []
        return due

    def close(self):
        self.closed = True


def batch(first, count=1):
    return pb.PublishRequest(first=first, messages=[pb.Message(body=b"x")] * count)


@pytest.fixture
async def session():
    return Session()


@pytest.fixture
async def requests():
    return Requests()


@pytest.fixture
async def stream(session):
    return PublishStream(session, "")


@pytest.fixture
async def reader(stream, requests):
    reader = Reader(stream.run(requests))
    yield reader
    reader.task.cancel()
    await asyncio.gather(reader.task, return_exceptions=True)


def runs(reader):
    return [(confirm.first, confirm.count) for response in reader.got for confirm in response.confirms]


async def test_the_first_response_comes_at_once(reader):
    await settle()
    assert reader.got == [pb.PublishResponse()]


async def test_outcomes_go_out_as_they_come(reader, requests, session):
    requests.send(batch(1, 3))
    await settle()
    assert session.batches == [(1, 3)]
    session.confirm(1, 2)
    await settle()
    session.confirm(3, 1)
    await settle()
    assert runs(reader) == [(1, 2), (3, 1)]


async def test_what_gathers_while_a_response_is_written_goes_in_the_next(reader, requests, session):
    requests.send(batch(1, 9))
    await settle()
    reader.free.clear()
    for number in (1, 2, 3):
        session.confirm(number, 1)
        await settle()
    reader.free.set()
    await settle()
    assert [len(response.confirms) for response in reader.got] == [0, 1, 2]


async def test_an_empty_batch_is_nothing(reader, requests, session):
    requests.send(pb.PublishRequest(publisher="loader"))
    requests.send(batch(7))
    await settle()
    assert session.batches == [(7, 1)]


async def test_it_ends_when_all_has_its_outcome(reader, requests, session):
    requests.send(batch(1, 2))
    requests.end()
    await settle()
    assert not reader.task.done()
    session.confirm(1, 2)
    await reader.task
    assert runs(reader) == [(1, 2)]
    assert session.closed


async def test_a_batch_that_cannot_be_taken_ends_it_behind_the_outcomes_before(reader, requests, session):
    requests.send(batch(1, 2))
    requests.send(batch(666))
    requests.send(batch(3))
    await settle()
    assert not reader.task.done()
    session.confirm(1, 2)
    with pytest.raises(InvalidArgumentError, match="666"):
        await reader.task
    assert runs(reader) == [(1, 2)]
    assert session.batches == [(1, 2)]


async def test_too_many_without_an_outcome_that_went_out_stop_the_reading(reader, requests, session, monkeypatch):
    monkeypatch.setattr(publishstream, "MOST_UNCONFIRMED", 4)
    for first in (1, 3, 5, 7):
        requests.send(batch(first, 2))
    await settle()
    assert session.batches == [(1, 2), (3, 2)]
    # A client that does not read gets no more room from outcomes, which would gather here otherwise.
    reader.free.clear()
    session.confirm(1, 2)
    await settle()
    assert session.batches == [(1, 2), (3, 2)]
    reader.free.set()
    await settle()
    assert session.batches == [(1, 2), (3, 2), (5, 2)]
    assert requests.read <= 4


async def test_too_many_octets_stop_the_reading(reader, requests, session, monkeypatch):
    session.octets = publishstream.MOST_OCTETS
    requests.send(batch(1))
    await settle()
    assert session.batches == []
    session.octets -= 1
    session.wake()
    await settle()
    assert session.batches == [(1, 1)]


async def test_while_it_is_blocked_nothing_is_taken_and_the_client_is_told(reader, stream, requests, session):
    await settle()
    stream.block("DISK: 12 MiB are free")
    requests.send(batch(1))
    await settle()
    assert (session.batches, reader.got[-1].blocked) == ([], "DISK: 12 MiB are free")
    stream.block("")
    await settle()
    assert session.batches == [(1, 1)]
    assert reader.got[-1].HasField("blocked")
    assert reader.got[-1].blocked == ""
    assert len(reader.got) == 3


async def test_one_that_begins_while_the_store_is_blocked_is_told_at_once(session, requests):
    reader = Reader(PublishStream(session, "MEMORY").run(requests))
    await settle()
    assert [response.blocked for response in reader.got] == ["MEMORY"]
    reader.task.cancel()


async def test_outcomes_go_out_while_it_is_blocked(reader, stream, requests, session):
    requests.send(batch(1))
    await settle()
    stream.block("DISK")
    session.confirm(1, 1)
    await settle()
    assert runs(reader) == [(1, 1)]


async def test_at_the_end_of_the_service_what_was_read_gets_its_outcome(reader, stream, requests, session):
    requests.send(batch(1))
    await settle()
    stream.end()
    requests.send(batch(2))
    await settle()
    assert not reader.task.done()
    session.confirm(1, 1)
    with pytest.raises(UnavailableError) as caught:
        await reader.task
    assert caught.value.retry_after
    assert (runs(reader), session.batches) == ([(1, 1)], [(1, 1)])


async def test_a_client_that_goes_away_closes_the_session(reader, requests, session):
    requests.send(batch(1))
    await settle()
    reader.task.cancel()
    await asyncio.gather(reader.task, return_exceptions=True)
    await settle()
    assert session.closed
