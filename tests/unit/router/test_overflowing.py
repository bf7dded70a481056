"""An outlet with an overflow, as a switch uses it."""

import pytest

from forebay.router.core.flags import MULTICAST
from forebay.router.settings import OutletLimits

from .switches import attach, make_switch, parcel

LIMITS = OutletLimits(high=20, low=10, most=30, response=100)


class Tank:
    """An overflow in memory."""

    def __init__(self, outlet):
        self.outlet = outlet
        self.parcels = []
        self.refuses = self.closed = False
        self.woken = 0

    def put(self, parcel):
        if self.refuses:
            return False
        self.parcels.append(parcel)
        self.outlet.spilling = True
        return True

    def wake(self):
        self.woken += 1

    def close(self):
        self.closed = True

    def give_back(self):
        for each in self.parcels:
            self.outlet.parcel(each)
        self.parcels.clear()
        self.outlet.settle()


@pytest.fixture
def switch():
    switch = make_switch(outlets=LIMITS)

    def give(outlet):
        outlet.overflow = Tank(outlet)
        return outlet.overflow

    switch.overflows = give
    return switch


def pour(switch, source, numbers, **options):
    switch.parcels([parcel(first=number, **options) for number in numbers], source)


def firsts(freight):
    return [each.first for each in freight.parcels]


def test_what_exceeds_the_limit_goes_to_the_overflow_and_all_later_behind_it(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    pour(switch, one, range(1, 6))
    assert [each.first for each in two.overflow.parcels] == [4, 5]
    assert firsts(two.take()) == [1, 2, 3]
    pour(switch, one, [6])
    assert [each.first for each in two.overflow.parcels] == [4, 5, 6]
    two.overflow.give_back()
    assert firsts(two.take()) == [4, 5, 6]
    pour(switch, one, [7])
    assert firsts(two.take()) == [7]
    assert switch.dropped == {}


def test_senders_wait_until_nothing_waits_in_the_overflow(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    pour(switch, one, range(1, 6))
    one.take()
    two.take()
    assert two.overflow.woken
    assert one.take() is None, "no xon yet"
    two.overflow.give_back()
    two.take()
    assert [each.recipient for each in one.take().signals] == ["a@x"]


def test_what_the_overflow_refuses_is_counted_and_its_sender_waits(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    pour(switch, one, range(1, 5))
    two.overflow.refuses = True
    one.take()
    pour(switch, one, [5])
    assert switch.dropped == {"skal-drop-full": 1}
    assert len(one.take().signals) == 1


def test_messages_to_groups_wait_too(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    switch.join("g", "b", two)
    pour(switch, one, range(1, 8), recipient="g@x", flags=MULTICAST)
    assert len(two.overflow.parcels) == 4
    assert switch.dropped == {}


def test_the_overflow_goes_with_its_process_to_another_attachment(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    pour(switch, one, range(1, 6))
    tank, later = two.overflow, switch.outlet("p")
    later.adopt(two)
    two.close()
    assert (tank.outlet, later.overflow, later.spilling, tank.closed) == (later, tank, True, False)


def test_with_its_process_the_overflow_is_closed(switch):
    one, two = attach(switch, "a"), attach(switch, "b")
    pour(switch, one, range(1, 6))
    tank = two.overflow
    two.close()
    assert tank.closed
    assert not two.spilling


def test_other_limits_hold_at_once(switch):
    from dataclasses import replace

    one, two = attach(switch, "a"), attach(switch, "b")
    switch.configure(replace(switch.settings, outlets=OutletLimits(high=5, low=2, most=10), router="other"))
    pour(switch, one, range(1, 4))
    assert len(two.overflow.parcels) == 2
    assert switch.settings.router == "r", "its name stays"
