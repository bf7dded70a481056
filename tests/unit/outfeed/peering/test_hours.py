"""Feed hours: windows over midnight, days, time zones; and the peer that keeps them."""

from datetime import UTC, datetime

import pytest

from forebay.outfeed.peering.hours import feed_hours

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MON, TUE, SAT, SUN = 0, 1, 5, 6


def at(text):
    """Seconds of a time of the week that begins with Monday, 5 January 2026, in UTC."""
    day, time = text.split()
    hour, minute = map(int, time.split(":"))
    return datetime(
        2026, 1, 5 + ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].index(day), hour, minute, tzinfo=UTC
    ).timestamp()


@pytest.mark.parametrize(
    ("windows", "moment", "open_then"),
    [
        ([((), "01:00", "05:00")], "Wed 00:59", False),
        ([((), "01:00", "05:00")], "Wed 01:00", True),
        ([((), "01:00", "05:00")], "Wed 04:59", True),
        ([((), "01:00", "05:00")], "Wed 05:00", False),
        ([((), "22:00", "06:00")], "Thu 23:00", True),
        ([((), "22:00", "06:00")], "Fri 05:59", True),
        ([((), "22:00", "06:00")], "Fri 12:00", False),
        ([((SUN,), "22:00", "06:00")], "Sun 21:59", False),
        ([((SUN,), "22:00", "06:00")], "Sun 22:00", True),
        ([((SUN,), "22:00", "06:00")], "Mon 05:00", True),
        ([((SUN,), "22:00", "06:00")], "Mon 22:00", False),
        ([((SUN,), "22:00", "06:00")], "Sun 05:00", False),
        ([((MON,), "00:00", "00:00")], "Mon 13:00", True),
        ([((MON,), "00:00", "00:00")], "Tue 00:00", False),
        ([((MON,), "01:00", "02:00"), ((TUE, SAT), "03:00", "04:00")], "Sat 03:30", True),
        ([((MON,), "01:00", "02:00"), ((TUE, SAT), "03:00", "04:00")], "Tue 01:30", False),
    ],
)
def test_windows(windows, moment, open_then):
    assert feed_hours(windows, "UTC").are_now(at(moment)) is open_then


def test_times_are_those_of_the_zone():
    hours = feed_hours([((MON,), "08:00", "09:00")], "Asia/Tokyo")
    assert hours.are_now(at("Sun 23:30") - 7 * 86_400)
    assert not hours.are_now(at("Mon 08:30"))


def test_a_zone_that_nobody_knows_is_told():
    with pytest.raises(ValueError, match="knows no time zone Moon/Crater"):
        feed_hours([((), "01:00", "02:00")], "Moon/Crater")
