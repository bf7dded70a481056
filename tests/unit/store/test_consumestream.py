"""A Consume stream over a session that does what the test says."""

import asyncio

import pytest

from fakeclock import settle
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import InvalidArgumentError, UnavailableError
from forebay.store.consumestream import ConsumeStream

from .streams import Reader, Requests


class Session:
    """Hands out one delivery at a time of what the test puts in."""

    def __init__(self):
        self.ready = []
        self.settled = []
        self.due = []
        self.allowed = 0
        self.left = False
        self.closed = False
        self.failure = None
        self.wake = None

    def put(self, *numbers):
        self.ready += numbers
        self.wake()

    def take(self):
        if self.due:
            due, self.due = self.due, []
            return pb.ConsumeResponse(settled=due)
        if self.ready and not self.left:
            return pb.ConsumeResponse(deliveries=[pb.Delivery(number=self.ready.pop(0))])
        return None

    def allow(self, credit):
        self.allowed += credit

    def settle(self, settlements):
        for run in settlements:
            if run.first == 666:
                raise InvalidArgumentError("settlements: nobody holds 666")
            self.settled.append((run.first, run.count))

    def durable(self):
        self.due = [pb.Settled(first=first, count=count) for first, count in self.settled]
        self.settled = []
        self.wake()

    def leave(self):
        self.left = True

    @property
    def idle(self):
        return self.left and not self.settled and not self.due

    def close(self):
        self.closed = True


def settlement(first, count=1):
    run = pb.Settlement(first=first, count=count, disposition=pb.DISPOSITION_ACK)
    return pb.ConsumeRequest(settlements=[run])


@pytest.fixture
async def session():
    return Session()


@pytest.fixture
async def requests():
    return Requests()


@pytest.fixture
async def stream(session):
    return ConsumeStream(session)


@pytest.fixture
async def reader(stream, requests):
    reader = Reader(stream.run(requests))
    yield reader
    reader.task.cancel()
    await asyncio.gather(reader.task, return_exceptions=True)


def numbers(reader):
    return [delivery.number for response in reader.got for delivery in response.deliveries]


async def test_deliveries_go_out_as_they_come(reader, session):
    await settle()
    session.put(1, 2)
    await settle()
    session.put(3)
    await settle()
    assert numbers(reader) == [1, 2, 3]


async def test_a_client_that_does_not_read_is_given_no_more(reader, session):
    reader.free.clear()
    await settle()
    session.put(*range(1, 101))
    await settle()
    assert len(session.ready) == 99
    reader.free.set()
    await settle(300)
    assert session.ready == []


async def test_credit_and_settlements_reach_the_session(reader, requests, session):
    requests.send(pb.ConsumeRequest(credit=5))
    requests.send(settlement(1, 3))
    await settle()
    assert (session.allowed, session.settled) == (5, [(1, 3)])


async def test_what_is_durable_is_told(reader, requests, session):
    requests.send(settlement(1, 3))
    await settle()
    session.durable()
    await settle()
    assert [(run.first, run.count) for response in reader.got for run in response.settled] == [(1, 3)]


async def test_a_client_that_ends_its_side_is_told_the_rest_and_leaves(reader, requests, session):
    requests.send(settlement(1))
    requests.end()
    await settle()
    assert session.left
    assert not reader.task.done()
    session.durable()
    await reader.task
    assert reader.got[-1].settled
    assert session.closed


async def test_a_wrong_settlement_ends_it(reader, requests, session):
    requests.send(settlement(666))
    with pytest.raises(InvalidArgumentError, match="666"):
        await reader.task
    assert session.closed


async def test_a_second_start_ends_it(reader, requests):
    requests.send(pb.ConsumeRequest(start=pb.ConsumeStart(queue="jobs")))
    with pytest.raises(InvalidArgumentError, match="the first request alone"):
        await reader.task


async def test_what_ends_the_session_ends_the_stream(reader, session):
    await settle()
    session.failure = UnavailableError("the queue jobs crashed", reason="QUEUE_CRASHED", retry_after=1)
    session.wake()
    with pytest.raises(UnavailableError, match="crashed"):
        await reader.task


async def test_at_the_end_of_the_service_what_was_settled_is_told_first(reader, stream, requests, session):
    requests.send(settlement(1))
    await settle()
    stream.end()
    requests.send(settlement(2))
    session.put(9)
    await settle()
    assert session.left
    assert not reader.task.done()
    session.durable()
    with pytest.raises(UnavailableError, match="consume again"):
        await reader.task
    assert (numbers(reader), session.settled) == ([], [])
    assert reader.got[-1].settled
