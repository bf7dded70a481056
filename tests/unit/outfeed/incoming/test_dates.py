"""Dates of articles, in the forms of RFC 5322 and its predecessors."""

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.incoming.dates import parse_date


def ms(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param(b"Sat, 06 Mar 2004 21:39:44 -0800", (2004, 3, 7, 5, 39, 44), id="usual"),
        pytest.param(b"6 Mar 2004 21:39 +0130", (2004, 3, 6, 20, 9), id="no weekday, no seconds"),
        pytest.param(b" Sat,\r\n 06 Mar 2004 21:39:44 GMT (why not)", (2004, 3, 6, 21, 39, 44), id="folded, comment"),
        pytest.param(b"Sat, 06 Mar 99 21:39:44 EST", (1999, 3, 7, 2, 39, 44), id="two digits of a year, named zone"),
        pytest.param(b"06 mar 04 21:39:44", (2004, 3, 6, 21, 39, 44), id="no zone, small letters"),
        pytest.param(b"Sat, 31 Dec 2016 23:59:60 +0000", (2017, 1, 1), id="leap second"),
    ],
)
def test_reads(text, moment):
    assert parse_date(text) == ms(*moment)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"yesterday",
        b"31 Feb 2004 00:00:00 GMT",
        b"1 Foo 2004 00:00:00 GMT",
        b"1 Mar 2004 24:00:00 GMT",
        b"1 Mar 2004 00:60 GMT",
        b"1 Mar 2004 00:00:61 GMT",
        b"1 Mar 0000 00:00 GMT",
        b"1 Mar 2004 00:00:00 +00",
    ],
)
def test_reads_no_date(text):
    assert parse_date(text) is None


@given(st.integers(-600_000_000, 4_000_000_000), st.integers(-12 * 60, 14 * 60))
def test_reads_what_the_standard_library_writes(seconds, minutes_east):
    moment = datetime.fromtimestamp(seconds, timezone(timedelta(minutes=minutes_east)))
    assert parse_date(format_datetime(moment).encode()) == seconds * 1000
