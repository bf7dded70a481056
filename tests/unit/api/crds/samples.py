"""A model with every kind of field."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.rules import Distinct, Rule
from forebay.api.values import Flag, Number, Size, Span, Text, Whole


class Colour(StrEnum):
    """An enumeration."""

    RED = "red"
    BLUE = "blue"


class Inner(Model):
    """An object inside."""

    name: Annotated[str, Text("^[a-z]+$", "small letters", longest=5)]
    """Its name."""
    size: Annotated[int, Size("1KB", "1GB")] = 2000
    """Its size."""


class Sample(Model):
    """One field of each kind."""

    rules: ClassVar[tuple[Rule, ...]] = (Distinct("labels"), Distinct("inners", key="name"))

    first_name: Annotated[str, Text("^[a-z]+$", "small letters", longest=5)]
    """A name
    on two lines."""
    hush: Annotated[str, Text("^[0-9]+$", "digits", secret=True)] | None = None
    """A secret."""
    count: Annotated[int, Whole(1, 9, "")] = 5
    """A count."""
    share: Annotated[float, Number(0.05, 1, "")] = 0.5
    """A share."""
    wait: Annotated[timedelta, Span("1s", "1h")] = timedelta(seconds=90)
    """A wait."""
    longest: Annotated[timedelta, Span("1s", "1h")] | None = None
    """Another wait."""
    flag: Flag = False
    """A flag."""
    colour: Colour = Colour.RED
    """A colour."""
    side: Literal["left", "right"] | None = None
    """A side."""
    inner: Inner = Inner(name="a")
    """An object."""
    inners: Items[Inner] = ()
    """Objects."""
    labels: Annotated[Items[Annotated[str, Text("^[a-z]+$", "small letters")]], Field(min_length=1, max_length=7)] = (
        "a",
    )
    """Labels."""
