"""Durations and sizes as text."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.api.quantities import format_duration, format_size, parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("10d", 864_000),
        ("1h30m", 5400),
        ("250ms", 0.25),
        ("1d2h3m4s5ms", 93_784.005),
        ("0s", 0),
    ],
)
def test_duration_is_read(text, seconds):
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text", ["", "s", "5", "-5s", "5 s", "1.5h", "30m1h", "1s1s", "5S", "5w", "5s\n", "1234567s", "٣s"]
)
def test_duration_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="is no duration; give"):
        parse_duration(text)


def test_duration_without_unit_names_the_likely_one():
    with pytest.raises(ValueError, match="'90' is no duration; give 90s if seconds are meant"):
        parse_duration("90")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (90, "1m30s"), (3600, "1h"), (0.25, "250ms"), (86_400, "1d"), (93_784.005, "1d2h3m4s5ms")],
)
def test_duration_is_written_shortly(seconds, text):
    assert format_duration(timedelta(seconds=seconds)) == text


@given(st.integers(0, 10**13))
def test_duration_survives_being_written(milliseconds):
    duration = timedelta(milliseconds=milliseconds)
    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("text", "octets"),
    [("0B", 0), ("7B", 7), ("10KB", 10_000), ("10MB", 10_000_000), ("3GB", 3 * 10**9), ("1TB", 10**12),
     ("1KiB", 1024), ("16MiB", 16 * 1024**2), ("2GiB", 2 * 1024**3), ("1TiB", 1024**4)],
)  # fmt: skip
def test_size_is_read(text, octets):
    assert parse_size(text) == octets


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("10", "10B"), ("10mb", "10MB"), ("10M", "10MB"), ("10Gi", "10GiB"), ("10 MB", "10MB"), ("10kb", "10KB"),
     ("7b", "7B"),
     ("1.5GB", "a number with its unit"), ("-1B", "a number with its unit"), ("", "a number with its unit"),
     ("1PB", "a number with its unit"), ("1MB\n", "1MB")],
)  # fmt: skip
def test_size_that_is_none_is_refused_with_what_was_meant(text, remedy):
    with pytest.raises(ValueError, match=f"is no size; give {remedy}"):
        parse_size(text)


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (0, "0B"),
        (1, "1B"),
        (1000, "1KB"),
        (1024, "1KiB"),
        (1025, "1025B"),
        (10_000_000, "10MB"),
        (512 * 1024**2, "512MiB"),
    ],
)
def test_size_is_written_shortly(octets, text):
    assert format_size(octets) == text


@given(st.integers(0, 10**15 - 1))
def test_size_survives_being_written(octets):
    assert parse_size(format_size(octets)) == octets
