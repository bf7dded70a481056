import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.conduits.transmitwindow import TransmitWindow


def test_samples_are_found_by_number():
    window = TransmitWindow(100, 10, first=7)
    window.append([b"one", b"three", b"five"])
    assert window.samples(7, 8) == b"one"
    assert window.samples(8, 10) == b"threefive"
    assert (window.base, window.next, window.used, window.unacknowledged) == (7, 10, 12, 3)


def test_the_index_covers_the_sample_that_is_not_there_yet():
    """So the latest one's length is known though the ring holds no lengths."""
    window = TransmitWindow(100, 10, first=0)
    window.append([b"latest"])
    assert window.samples(0, 1) == b"latest"
    assert window.used == len(b"latest")


def test_acknowledged_samples_make_room():
    window = TransmitWindow(10, 3, first=0)
    window.append([b"12345", b"123"])
    assert (window.free_octets, window.free_samples) == (2, 1)
    window.release(1)
    assert (window.free_octets, window.free_samples) == (7, 2)


def test_room_that_an_acknowledgement_opens_ends_at_its_first_unacknowledged_sample():
    window = TransmitWindow(10, 3, first=0)
    window.append([b"12345", b"123"])
    window.release(2)
    assert (window.used, window.unacknowledged, window.free_octets) == (0, 0, 10)


def test_the_ring_wraps_within_a_sample():
    window = TransmitWindow(8, 4, first=0)
    window.append([b"abcdef"])
    window.release(1)
    window.append([b"ghijk"])
    assert window.samples(1, 2) == b"ghijk"


def test_a_full_window_drains_before_it_takes_more():
    window = TransmitWindow(10, 10, first=0)
    window.append([b"12", b"34", b"56"])
    window.draining = True
    window.release(2)
    assert (window.free_samples, window.free_octets) == (0, 0)
    window.release(3)
    assert (window.free_samples, window.free_octets) == (10, 10)
    assert not window.draining


@pytest.mark.parametrize(
    ("acknowledged", "free"),
    [pytest.param(0, 0, id="more than that part is left"), pytest.param(1, 8, id="that part is left")],
)
def test_how_far_it_drains_is_a_setting(acknowledged, free):
    window = TransmitWindow(8, 10, first=0, drain_to=0.5)
    window.append([b"1234", b"12", b"34"])
    window.draining = True
    window.release(acknowledged)
    assert window.free_samples == free


@given(st.lists(st.tuples(st.lists(st.binary(max_size=7), max_size=5), st.integers(0, 6)), max_size=60))
def test_it_holds_what_a_list_would_hold(steps):
    window, kept = TransmitWindow(24, 6, first=120), []
    for samples, released in steps:
        for sample in samples:
            if window.free_samples and window.free_octets >= len(sample):
                window.append([sample])
                kept.append(sample)
        done = min(released, window.unacknowledged)
        window.release(window.base + done)
        del kept[:done]
        assert [window.samples(n, n + 1) for n in range(window.base, window.next)] == kept
        assert window.samples(window.base, window.next) == b"".join(kept)
        assert window.used == sum(map(len, kept))
