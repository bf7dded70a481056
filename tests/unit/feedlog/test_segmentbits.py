from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.feedlog.segmentbits import SegmentBits


def segment(*bitmaps: int, slots: list[int] | None = None) -> SegmentBits:
    width = max(1, (max(bitmaps).bit_length() + 7) // 8)
    bits = b"".join(bitmap.to_bytes(width, "little") for bitmap in bitmaps)
    places = range(len(bitmaps)) if slots is None else array("H", slots)
    return SegmentBits(2, places, bits, width, array("H", range(len(bitmaps))))


def bitmap(of: SegmentBits, slot: int) -> int:
    return sum(1 << peer for peer in of.peers if of.holds(peer, slot))


def test_clearing_tells_which_bits_were_set():
    bits = segment(0b11, 0b01, 0b10)
    assert bits.clear(0, [0, 1, 2]) == [0, 1]
    assert bits.clear(0, [0, 1, 2]) == []
    assert [bitmap(bits, slot) for slot in range(3)] == [0b10, 0, 0b10]


def test_a_run_is_cleared_at_once_and_only_once():
    bits = segment(*[0b11] * 100)
    assert bits.clear(1, list(range(10, 20))) == list(range(10, 20))
    assert bits.clear(1, list(range(10, 20))) == []
    assert bits.count_owed(1) == 90
    assert bits.count_owed(0) == 100


def test_a_slot_named_twice_is_cleared_once():
    assert segment(1, 1).clear(0, [1, 1]) == [1]


def test_slots_and_peers_that_are_not_there_hold_nothing():
    bits = segment(1, 1)
    assert bits.clear(0, [5]) == []
    assert bits.clear(9, [0]) == []
    assert bits.clear(0, []) == []
    assert not bits.holds(0, 5)
    assert not bits.holds(9, 0)
    assert bits.count_owed(9) == 0


@pytest.mark.parametrize("slots", [None, [0, 2, 5, 9]], ids=["all there", "some left out"])
def test_whether_all_of_many_slots_are_owed(slots: list[int] | None):
    bits = segment(0b1, 0b1, 0b10, 0b11, slots=slots)
    first, second, third, fourth = slots or range(4)
    assert bits.holds_all(0, [first, second])
    assert bits.holds_all(0, [fourth, first])
    assert bits.holds_all(1, [third, fourth])
    assert not bits.holds_all(0, [first, second, third])
    assert not bits.holds_all(0, [first, 77])
    assert not bits.holds_all(9, [first])
    assert bits.holds_all(9, [])


@pytest.mark.parametrize("slots", [None, [0, 2, 5]], ids=["all there", "some left out"])
def test_groups_of_many_slots_are_those_of_each(slots: list[int] | None):
    bits = segment(1, 1, 1, slots=slots)
    asked = [*(slots or range(3)), 77, 0]
    assert list(bits.groups_of(asked)) == [0, 1, 2, 0, 0]
    assert list(bits.groups_of(asked[:3])) == [0, 1, 2]
    assert list(bits.groups_of([])) == []


def test_wider_entries_widen_those_before():
    bits = segment(0b1, 0b10)
    bits.extend((1 << 8).to_bytes(2, "little"), 2, [7])
    bits.extend(b"\x03", 1, [8])
    assert [bitmap(bits, slot) for slot in range(4)] == [0b1, 0b10, 1 << 8, 0b11]
    assert bits.group(2) == 7


@pytest.mark.parametrize("peers", [0b1, 1 << 8 | 1])
def test_live_dead_and_counts(peers: int):
    bits = segment(peers, 0, peers)
    assert bits.live() == [0, 2]
    assert list(bits.counts()) == [(0, peers.bit_count()), (1, 0), (2, peers.bit_count())]
    for peer in bits.peers:
        bits.clear(peer, [0, 1, 2])
    assert bits.dead
    assert bits.live() == []


def test_an_empty_segment_is_dead():
    bits = SegmentBits(0, range(0), b"", 1, array("H"))
    assert bits.dead
    assert bits.live() == []


def test_kept_entries_are_found_by_their_slots():
    kept = segment(0b01, 0b11, 0b10, 0b11).keep([1, 3])
    assert len(kept) == 2
    assert [bitmap(kept, slot) for slot in range(5)] == [0, 0b11, 0, 0b11, 0]
    assert list(kept.owed(0)) == [1, 3]
    assert list(kept.owed(0, 2)) == [3]
    assert kept.group(3) == 3
    assert kept.group(2) == 0
    assert kept.clear(0, [0, 1, 2]) == [1]


def test_runs_that_are_clear_rebuild_the_same_bits():
    bits = segment(0b11, 0b01, 0b01, 0b10, 0b11)
    assert bits.clear_runs(0) == [(3, 4)]
    assert bits.clear_runs(1) == [(1, 3)]
    assert bits.clear_runs(5) == [(0, 5)]


@given(
    st.lists(st.integers(0, 2**10 - 1), min_size=1, max_size=40),
    st.data(),
)
def test_agrees_with_a_list_of_sets(bitmaps: list[int], data: st.DataObject):
    gaps = data.draw(st.lists(st.integers(1, 3), min_size=len(bitmaps), max_size=len(bitmaps)))
    slots = [sum(gaps[: n + 1]) for n in range(len(bitmaps))]
    dense = data.draw(st.booleans())
    bits = segment(*bitmaps, slots=None if dense else slots)
    model = dict(zip(bits.slots, bitmaps, strict=True))
    for _ in range(data.draw(st.integers(0, 6))):
        peer = data.draw(st.integers(0, 11))
        start = data.draw(st.integers(0, max(model) + 2))
        stop = data.draw(st.integers(start, max(model) + 3))
        mask = 1 << peer
        owed = [slot for slot in range(start, stop) if model.get(slot, 0) & mask]
        if data.draw(st.booleans()):
            assert bits.clear(peer, list(range(start, stop))) == owed
        else:
            bits.clear_run(peer, start, stop)
        for slot in owed:
            model[slot] &= ~mask
        assert list(bits.owed(peer, start)) == [slot for slot in model if slot >= start and model[slot] & mask]
    assert {slot: bitmap(bits, slot) for slot in model} == model
    assert bits.live() == [slot for slot, peers in model.items() if peers]
