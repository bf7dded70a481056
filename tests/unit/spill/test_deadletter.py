"""The form of dead letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.spill import DeadLetter, SpillAnswerError
from forebay.spill.deadletter import decode


@given(st.binary(max_size=300), st.text(max_size=200), st.integers(0, 65535), st.integers(0, 2**63))
def test_a_dead_letter_is_read_as_written(data: bytes, reason: str, tries: int, time: int) -> None:
    letter = DeadLetter(data, reason, tries, time, b"1-0")
    assert decode(b"1-0", letter.encode()) == letter


def test_a_long_reason_is_cut_between_characters() -> None:
    letter = decode(b"1-0", DeadLetter(b"x", "é" * 600 + "a", 1, 2).encode())
    assert letter.reason == "é" * 512
    assert letter.data == b"x"


def test_many_tries_count_as_the_most_that_fit() -> None:
    assert decode(b"1-0", DeadLetter(b"x", "", 10**6, 2).encode()).tries == 65535


def test_what_is_too_short_is_no_dead_letter() -> None:
    with pytest.raises(SpillAnswerError, match="too few"):
        decode(b"1-0", b"short")
