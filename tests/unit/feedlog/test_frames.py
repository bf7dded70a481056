import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.feedlog.frames import (
    HEADER_SIZE,
    MAGIC,
    MAX_BODY,
    Gap,
    content_start,
    frame,
    header,
    scan,
    torn_tail,
)
from forebay.msgstore.errors import FormatError

BODIES = [b"one", b"", b"three" * 100]


def bodies(data: bytes, start: int = 0) -> tuple[list[bytes], list[Gap]]:
    gaps: list[Gap] = []
    found = [data[begin + 10 : end] for begin, end in scan(data, gaps, start)]
    return found, gaps


def test_sound_frames_are_found_with_nothing_between():
    assert bodies(b"".join(map(frame, BODIES))) == (BODIES, [])


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("offset", range(len(frame(b"two"))))
def test_a_flipped_bit_costs_the_frame_it_is_in_and_no_other(offset: int, bit: int):
    data = bytearray(b"".join([frame(b"one"), frame(b"two"), frame(b"three")]))
    data[13 + offset] ^= 1 << bit
    assert bodies(bytes(data)) == ([b"one", b"three"], [Gap(13, 13)])


def test_a_hole_of_zeros_costs_what_it_covers():
    data = bytearray(b"".join(frame(b"%03d" % n) for n in range(100)))
    data[130 : 130 + 65] = bytes(65)
    found, gaps = bodies(bytes(data))
    assert found == [b"%03d" % n for n in range(100) if not 10 <= n < 15]
    assert gaps == [Gap(130, 65)]


def test_a_magic_in_the_damage_does_not_mislead():
    data = frame(b"one") + MAGIC * 50 + frame(b"two")
    assert bodies(data)[0] == [b"one", b"two"]


def test_a_length_beyond_the_bound_is_damage():
    assert bodies(frame(bytes(MAX_BODY + 1)))[0] == []


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=5), st.data())
def test_what_is_cut_short_is_a_torn_tail(contents: list[bytes], data: st.DataObject):
    whole = b"".join(map(frame, contents))
    last = len(whole) - len(frame(contents[-1]))
    cut = data.draw(st.integers(last + 1, len(whole) - 1))
    gaps: list[Gap] = []
    assert len(list(scan(whole[:cut], gaps, 0))) == len(contents) - 1
    assert torn_tail(whole[:cut], gaps) == last


def test_damage_before_a_sound_frame_is_no_torn_tail():
    data = b"???" + frame(b"one")
    gaps: list[Gap] = []
    list(scan(data, gaps, 0))
    assert torn_tail(data, gaps) is None


def test_frames_begin_after_a_sound_header():
    assert content_start(header(b"KIND", 7) + frame(b"one"), b"KIND", "name") == HEADER_SIZE


def test_a_damaged_header_is_a_gap_before_the_frames():
    data = bytes(HEADER_SIZE) + frame(b"one")
    start = content_start(data, b"KIND", "name")
    assert bodies(data, start) == ([b"one"], [Gap(0, HEADER_SIZE)])


def test_a_header_of_another_kind_is_refused_with_the_name_of_the_file():
    with pytest.raises(FormatError, match=r"log/1\.log is of kind b'ELSE'"):
        content_start(header(b"ELSE", 7), b"KIND", "log/1.log")
