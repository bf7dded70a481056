"""Retry-After of HTTP."""

import pytest

from forebay.announcer.upstream.httpupstream import retry_after

WALL = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Tue, 14 Nov 2023 22:15:20 GMT", 120.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("Tue, 99 Nov 2023 22:15:20 GMT", None),
    ],
)
def test_seconds_or_a_date(value, seconds):
    assert retry_after(value, WALL) == seconds
