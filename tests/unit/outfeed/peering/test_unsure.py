"""What was appended and may not be on disk yet."""

import pytest

from forebay.outfeed.peering.unsure import Unsure
from forebay.spill import SpillUnavailableError


class Durable:
    """An append whose fate the test decides."""

    def __init__(self, *, done=False, lost=False):
        self.done = done
        self.lost = lost

    async def wait(self):
        if self.lost:
            raise SpillUnavailableError("restarted")


async def test_appends_are_confirmed_in_their_order():
    unsure, first = Unsure(), Durable()
    unsure.add(first, [1, 2])
    unsure.add(Durable(done=True), [3])
    assert await unsure.confirmed() is None
    first.done = True
    assert (await unsure.confirmed(), 1 in unsure, 3 in unsure) == ([1, 2], False, True)
    assert (await unsure.confirmed(), await unsure.confirmed(), len(unsure)) == ([3], None, 0)


async def test_an_append_of_nothing_holds_nobody_up():
    unsure = Unsure()
    unsure.add(Durable(done=True), [])
    unsure.add(Durable(done=True), [4])
    assert (await unsure.confirmed(), await unsure.confirmed()) == ([], [4])


async def test_an_append_that_may_be_lost_is_in_doubt_until_it_is_forgotten():
    unsure = Unsure()
    unsure.add(Durable(done=True, lost=True), [1])
    with pytest.raises(SpillUnavailableError):
        await unsure.confirmed()
    assert (unsure.in_doubt, 1 in unsure) == (True, True)
    assert unsure.forget() == {1}
    assert (unsure.in_doubt, len(unsure), 1 in unsure) == (False, 0, False)
