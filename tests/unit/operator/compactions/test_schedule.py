from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay_operator.compactions import ScheduleError, schedule_of

BERLIN = ZoneInfo("Europe/Berlin")
SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=BERLIN), datetime(2026, 10, 25, tzinfo=BERLIN)
"""Midnights before an hour is left out, and before one is repeated."""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
NEAR = [(each - BEGIN) // timedelta(seconds=1) for each in (SPRING, AUTUMN)]
MOMENTS = st.one_of(
    st.integers(0, 4 * 365 * 86_400), *(st.integers(near - 10_800, near + 21_600) for near in NEAR)
).map(lambda seconds: BEGIN + timedelta(seconds=seconds))
"""Many of them near the days on which clocks are changed."""


def times(schedule, start, count):
    """The next times, as wall clocks show them."""
    found = [start]
    for _ in range(count):
        found.append(schedule.next(found[-1]))
    return [each.astimezone(schedule.zone).strftime("%d %H:%M%z") for each in found[1:]]


def test_a_time_is_one_of_its_zone():
    schedule = schedule_of("30 2 * * *", "America/New_York")
    assert schedule.next(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 1, 1, 7, 30, tzinfo=UTC)


def test_the_hour_that_is_left_out_does_not_take_a_run_with_it():
    schedule = schedule_of("30 2 * * *", "Europe/Berlin")
    assert times(schedule, SPRING, 2) == ["29 03:30+0200", "30 02:30+0200"]


def test_the_hour_that_is_repeated_has_one_run():
    schedule = schedule_of("30 2 * * *", "Europe/Berlin")
    assert times(schedule, AUTUMN, 2) == ["25 02:30+0200", "26 02:30+0100"]


def test_each_hour_is_each_hour():
    schedule = schedule_of("0 * * * *", "Europe/Berlin")
    assert times(schedule, AUTUMN, 4) == ["25 01:00+0200", "25 02:00+0200", "25 02:00+0100", "25 03:00+0100"]
    assert times(schedule, SPRING, 3) == ["29 01:00+0100", "29 03:00+0200", "29 04:00+0200"]


def test_a_day_of_the_week_may_be_named_and_so_may_schedules():
    midnight = datetime(2026, 11, 28, tzinfo=UTC)
    assert times(schedule_of("0 6 * * MON", "UTC"), midnight, 1) == ["30 06:00+0000"]
    assert times(schedule_of("@daily", "UTC"), midnight, 1) == ["29 00:00+0000"]


@settings(deadline=None)
@given(
    st.sampled_from(["* * * * *", "30 2 * * *", "*/7 1-3 * * *", "0 0 1 * *", "15 2 29 2 *", "@hourly"]),
    MOMENTS,
)
def test_now_lies_between_the_last_and_the_next(cron, now):
    schedule = schedule_of(cron, "Europe/Berlin")
    last, following = schedule.last(now), schedule.next(now)
    assert last <= now < following
    assert schedule.next(last) == following
    assert schedule.last(following - timedelta(seconds=1)) == last


@settings(deadline=None)
@given(MOMENTS)
def test_a_time_is_the_last_one_at_its_own_second(now):
    schedule = schedule_of("30 2 * * *", "Europe/Berlin")
    due = schedule.next(now)
    assert schedule.last(due) == due
    assert schedule.last(due + timedelta(seconds=59)) == due
    assert schedule.last(due - timedelta(seconds=1)) < due


@pytest.mark.parametrize(
    ("cron", "zone", "words"),
    [
        ("0 0 30 2 *", "UTC", "spec.schedule: '0 0 30 2 *' names no time that ever comes"),
        ("0 0 * * *", "Europe/Atlantis", "spec.timeZone: Europe/Atlantis is not known"),
        ("0 0 * * *", "Europe", "spec.timeZone: Europe is not known"),
        ("nonsense", "UTC", "spec.schedule: 'nonsense' names no time"),
    ],
)
def test_what_never_comes_is_refused(cron, zone, words):
    with pytest.raises(ScheduleError, match=words.replace("*", r"\*")):
        schedule_of(cron, zone)
