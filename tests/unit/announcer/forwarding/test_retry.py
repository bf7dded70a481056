"""`retry in` of BEP 31."""

import pytest

from forebay.announcer.forwarding.retry import LONGEST_WAIT, NEVER, retry_wait


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (5, 300.0),
        (b"5", 300.0),
        (1, 60.0),
        (9, 540.0),
        (10, 600.0),
        (b"never", NEVER),
        (0, None),
        (b"0", None),
        (-1, None),
        (b"-1", None),
        (b"abc", None),
        (b"", None),
        (b"5.5", None),
        (b"9" * 21, None),
        (None, None),
        ([5], None),
        ({}, None),
        (10**12, LONGEST_WAIT),
        (10**400, LONGEST_WAIT),
        (b"1000000000000", LONGEST_WAIT),
    ],
    ids=lambda value: str(value)[:20],
)
def test_minutes_as_seconds(value, seconds):
    assert retry_wait(value) == seconds
