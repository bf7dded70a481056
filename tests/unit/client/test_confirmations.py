import asyncio

import pytest

from forebay.client import ClosedError, NotKeptError
from forebay.client.confirmations import Confirmations
from forebay.pb.store.v1 import store_pb2 as pb


def confirm(first, count, outcome=pb.OUTCOME_CONFIRMED, reason=""):
    return pb.Confirm(first=first, count=count, outcome=outcome, reason=reason)


@pytest.fixture
def confirmations():
    return Confirmations()


async def test_those_who_wait_are_told_when_their_last_message_has_its_outcome(confirmations):
    waiters = {number: confirmations.all_up_to(number) for number in (5, 2, 3)}
    confirmations.confirm(confirm(1, 3))
    assert [waiters[number].done() for number in (2, 3, 5)] == [True, True, False]
    confirmations.confirm(confirm(4, 2))
    assert await waiters[5] is None


async def test_one_message_gets_the_outcome_of_its_run(confirmations):
    kept, refused = confirmations.outcome_of(1), confirmations.outcome_of(2)
    confirmations.confirm(confirm(1, 1))
    confirmations.confirm(confirm(2, 1, pb.OUTCOME_REFUSED, "the queue jobs is full"))
    assert (await kept).outcome == pb.OUTCOME_CONFIRMED
    assert (await refused).reason == "the queue jobs is full"


async def test_what_nobody_took_care_of_and_is_not_kept_is_told_once(confirmations):
    confirmations.confirm(confirm(1, 5))
    confirmations.confirm(confirm(6, 2, pb.OUTCOME_REFUSED, "the queue jobs is full"))
    confirmations.confirm(confirm(8, 1, pb.OUTCOME_UNROUTED))
    with pytest.raises(NotKeptError, match=r"message 6 was not kept \(and 2 more like it\): the queue jobs is full"):
        confirmations.settle_accounts()
    confirmations.settle_accounts()


async def test_an_unrouted_message_is_told_with_the_remedy(confirmations):
    confirmations.confirm(confirm(1, 1, pb.OUTCOME_UNROUTED))
    with pytest.raises(NotKeptError, match="no queue is bound to its address: bind one"):
        confirmations.settle_accounts()


async def test_a_duplicate_is_kept(confirmations):
    confirmations.confirm(confirm(1, 1, pb.OUTCOME_DUPLICATE))
    confirmations.settle_accounts()


async def test_what_somebody_took_care_of_is_not_told_again(confirmations):
    waiter = confirmations.outcome_of(2)
    confirmations.confirm(confirm(1, 2, pb.OUTCOME_REFUSED, "full"))
    assert waiter.result().reason == "full"
    with pytest.raises(NotKeptError) as caught:
        confirmations.settle_accounts()
    assert caught.value.count == 1


async def test_one_who_waits_no_more_is_passed_over(confirmations):
    gone, waiter = confirmations.outcome_of(1), confirmations.outcome_of(2)
    gone.cancel()
    confirmations.confirm(confirm(1, 2))
    assert (await waiter).count == 2


async def test_a_failure_reaches_all_who_wait(confirmations):
    waiters = [confirmations.outcome_of(1), confirmations.all_up_to(9)]
    confirmations.fail(ClosedError("over"))
    for found in await asyncio.gather(*waiters, return_exceptions=True):
        assert isinstance(found, ClosedError)
