import pytest

from forebay.conduit.core.slots import Slots


def test_the_lowest_free_slot_is_used_first():
    slots = Slots()
    assert [slots.add(lambda number: number) for _ in range(4)] == [0, 1, 2, 3]
    slots.remove(2)
    slots.remove(0)
    assert [slots.add(lambda number: number) for _ in range(3)] == [0, 2, 4]


def test_loops_touch_used_slots_only():
    slots = Slots()
    for name in "abc":
        slots.add(lambda number, name=name: f"{name}{number}")
    assert slots.remove(1) == "b1"
    assert (slots.all(), len(slots), slots.get(1), slots.get(2)) == (["a0", "c2"], 2, None, "c2")


def test_a_free_slot_can_not_be_freed():
    with pytest.raises(KeyError):
        Slots().remove(0)
