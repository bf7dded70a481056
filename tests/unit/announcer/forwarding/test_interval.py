"""The clamped interval."""

import pytest

from forebay.announcer.forwarding.interval import announce_interval, due_after


@pytest.mark.parametrize(
    ("interval", "min_interval", "seconds"),
    [
        (1800, None, 1800.0),
        (-5, None, 300.0),
        (0, None, 300.0),
        (299, None, 300.0),
        (300, None, 300.0),
        (10_800, None, 10_800.0),
        (10_801, None, 10_800.0),
        (10**12, None, 10_800.0),
        (10**400, None, 10_800.0),
        (None, None, 1800.0),
        (b"900", None, 1800.0),
        (True, None, 1800.0),
        (600, 900, 900.0),
        (900, 600, 900.0),
        (600, -7, 600.0),
        (600, 10**400, 10_800.0),
        (None, 2000, 2000.0),
    ],
    ids=lambda value: str(value)[:12],
)
def test_kept_within_reason(interval, min_interval, seconds):
    assert announce_interval(interval, min_interval) == seconds


@pytest.mark.parametrize(
    ("interval", "due"), [(300, 285), (1000, 950), (1200, 1140), (1800, 1740), (10_800, 10_740)], ids=str
)
def test_a_client_may_come_a_little_early(interval, due):
    assert due_after(float(interval)) == due
