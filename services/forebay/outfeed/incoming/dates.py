"""Dates of articles: RFC 5322 section 3.3 with the obsolete forms of section 4.3."""

import re
from datetime import date
from functools import lru_cache

DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = {name: number for number, name in enumerate(b"jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
# Minutes east of Greenwich. RFC 5322 section 4.3: other alphabetic zones tell nothing, and count as UTC.
_ZONES = {
    b"EST": -300,
    b"EDT": -240,
    b"CST": -360,
    b"CDT": -300,
    b"MST": -420,
    b"MDT": -360,
    b"PST": -480,
    b"PDT": -420,
}
_DATE = re.compile(
    rb"\s*(?:[A-Za-z]{3,9}\s*,)?\s*(\d{1,2})\s+([A-Za-z]{3})\s+(\d{2,4})"
    rb"\s+(\d\d?):(\d\d)(?::(\d\d))?\s*(?:([+-])(\d\d)(\d\d)|([A-Za-z]{1,5}))?\s*(?:\(.*\))?\s*",
    re.DOTALL,
)


def parse_date(value: bytes) -> int | None:
    """Milliseconds since the epoch of a Date or Injection-Date header's body; None when it is no date."""
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    day, month, year, hour, minute, second, sign, east_hours, east_minutes, zone = match.groups()
    midnight = _midnight(day, month, year)
    if midnight is None or (hours := int(hour)) > 23 or (minutes := int(minute)) > 59 or int(second or 0) > 60:
        return None
    if sign is None:
        east = _ZONES.get(zone.upper(), 0) if zone else 0
    else:
        east = int(east_hours) * 60 + int(east_minutes)
        east = -east if sign == b"-" else east
    return (midnight + (hours * 60 + minutes - east) * 60 + int(second or 0)) * 1000


@lru_cache(4096)
def _midnight(day: bytes, month: bytes, year: bytes) -> int | None:
    """Seconds since the epoch at which a day begins in UTC; None when there is no such day."""
    number = int(year)
    if len(year) < 4:
        number += 2000 if len(year) == 2 and number < 50 else 1900
    try:
        return (date(number, _MONTHS[month.lower()], int(day)).toordinal() - _EPOCH) * 86_400
    except (KeyError, ValueError):
        return None
