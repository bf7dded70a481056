"""When a peer is fed."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.values import Text

TimeOfDay = Annotated[
    str, Text(r"^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of day between quotes, as '22:30'", longest=5)
]


class Weekday(StrEnum):
    """Days of the week, the first first."""

    MONDAY = "Mon"
    TUESDAY = "Tue"
    WEDNESDAY = "Wed"
    THURSDAY = "Thu"
    FRIDAY = "Fri"
    SATURDAY = "Sat"
    SUNDAY = "Sun"


class FeedWindow(Model):
    """A time of day on some days."""

    days: Annotated[Items[Weekday], Field(max_length=7)] = ()
    """Days on which it begins. Empty: every day."""
    start: TimeOfDay
    """When it begins."""
    end: TimeOfDay
    """When it ends; on the next day where that is not after the start."""


class FeedHours(Model):
    """When a peer may be fed."""

    windows: Annotated[Items[FeedWindow], Field(min_length=1, max_length=50)]
    """Times in any of which it may."""
    zone: Annotated[
        str, Text(r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$", "a time zone, as UTC or Europe/Berlin", longest=64)
    ] = "UTC"
    """Time zone of these times."""
