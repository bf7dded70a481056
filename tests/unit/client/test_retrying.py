import asyncio

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from fakeclock import FakeClock
from forebay.client.retrying import Retrying
from forebay.runtime import BackoffSettings, InvalidArgumentError, NotFoundError, ServiceError, UnavailableError
from forebay.runtime.interceptor import as_status


def failed(code, error=None):
    """A call that failed; with the status of an error of ours."""
    trailing = Metadata(*as_status(error, "1").trailing_metadata) if error else Metadata()
    return AioRpcError(code, Metadata(), trailing, details=str(error))


class Ticking(FakeClock):
    """Sleeping takes the time forward at once."""

    def __init__(self):
        super().__init__()
        self.slept = []

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.advance(seconds)


@pytest.fixture
def clock():
    return Ticking()


@pytest.fixture
def retrying(clock):
    return Retrying("publishing", BackoffSettings(1.0, 8.0, jitter=0), 20.0, clock)


AWAY = failed(grpc.StatusCode.UNAVAILABLE)


async def test_waits_double(retrying, clock):
    for _ in range(4):
        await retrying.wait_after(AWAY)
    assert clock.slept == [1, 2, 4, 8]


async def test_patience_ends_so_long_after_the_first_failure_in_a_row(retrying, clock):
    clock.advance(1000)
    for _ in range(4):
        await retrying.wait_after(AWAY)
    with pytest.raises(ServiceError):
        await retrying.wait_after(AWAY)


async def test_an_answer_makes_the_next_failure_the_first_again(retrying, clock):
    for _ in range(4):
        await retrying.wait_after(AWAY)
    retrying.heard()
    await retrying.wait_after(AWAY)
    assert clock.slept[-1] == 1


async def test_the_service_may_ask_for_a_longer_wait(retrying, clock):
    await retrying.wait_after(failed(grpc.StatusCode.UNAVAILABLE, UnavailableError("crashed", retry_after=5)))
    assert clock.slept == [5]


@pytest.mark.parametrize("error", [NotFoundError("no queue"), InvalidArgumentError("wrong number")])
async def test_what_will_not_get_better_is_raised_at_once(retrying, clock, error):
    with pytest.raises(type(error)):
        await retrying.wait_after(failed(error.code, error))
    assert clock.slept == []


async def test_a_stream_that_grpc_broke_is_tried_again(retrying, clock):
    await retrying.wait_after(failed(grpc.StatusCode.INTERNAL))
    assert clock.slept == [1]


async def test_where_the_service_leads_to_is_tried_at_once_but_not_twice_in_a_row(retrying, clock):
    for _ in range(4):
        await retrying.wait_after(AWAY, led=True)
    assert clock.slept == [1, 2]


async def test_a_failure_that_hides_the_cancellation_of_its_task_ends_the_tries(retrying, clock):
    async def call():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            # As gRPC does when the call fails at that moment.
            await retrying.wait_after(AWAY)

    task = asyncio.ensure_future(call())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.slept == []
