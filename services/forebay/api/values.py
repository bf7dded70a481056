"""Types of single values: each knows its bounds and unit, reads strictly, and describes itself as a schema.

They annotate fields: `window: Annotated[int, Whole(1, 10_000, "commands")] = 100`. The error about a value that does
not fit says what to give instead.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from forebay.api.quantities import (
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)

Flag = Annotated[bool, Strict()]
"""true or false, and nothing that only looks like it."""

Comparable = TypeVar("Comparable", int, float, timedelta)
SHOWN = 60
LONGEST_NUMBER = 40
"""Characters of a duration or a size, which never need so many."""


def fault(problem: str) -> PydanticCustomError:
    """The error that a validator raises; `problem` tells what is wrong and what to give instead."""
    return PydanticCustomError("value", "{problem}", {"problem": problem})


def show(value: object) -> str:
    """A value as it is quoted in a message, cut where it is long."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


class Value:
    """Base of the types: a validator, a serialiser, a schema, and what a reference page says."""

    kind: ClassVar[str]
    """What it is, in a word or two."""

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        raise NotImplementedError

    def read(self, value: object) -> Any:
        """The checked value. Raises the error that `fault` makes."""
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """The value as JSON has it."""
        return value

    def schema(self) -> dict[str, Any]:
        """What a structural schema of Kubernetes can say of it; bounds of text are beyond that."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(self.write)
        )


def within(value: Comparable, low: Comparable, high: Comparable, text: Callable[[Comparable], str]) -> Comparable:
    """The value, if it lies within the bounds, both included."""
    if low <= value <= high:
        return value
    side, bound = ("below", low) if value < low else ("above", high)
    raise fault(f"{text(value)} is {side} {text(bound)}; give {text(low)} to {text(high)}")


@dataclass(frozen=True)
class Whole(Value):
    """A whole number."""

    kind = "whole number"
    minimum: int
    maximum: int
    unit: str

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return f"{self.minimum:,} to {self.maximum:,}"

    def read(self, value: object) -> int:
        """The checked number."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise fault(f"{show(value)} is no whole number; give {self.minimum} to {self.maximum}")
        return within(value, self.minimum, self.maximum, str)

    def schema(self) -> dict[str, Any]:
        """An integer with bounds."""
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True)
class Number(Value):
    """A number that need not be whole."""

    kind = "number"
    minimum: float
    maximum: float
    unit: str

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return f"{self.minimum:g} to {self.maximum:g}"

    def read(self, value: object) -> float:
        """The checked number."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise fault(f"{show(value)} is no number; give {self.bounds}")
        return within(float(value), self.minimum, self.maximum, "{:g}".format)

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "number"}


@dataclass(frozen=True)
class Span(Value):
    """A duration, in Python a `timedelta`. Bounds are written as values are: `Span("1s", "1h")`."""

    kind = "duration"
    minimum: str
    maximum: str

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return f"{self.minimum} to {self.maximum}"

    def read(self, value: object) -> timedelta:
        """The checked duration, from text or a `timedelta`."""
        if isinstance(value, str):
            value = parsed(parse_duration, value)
        if not isinstance(value, timedelta):
            raise fault(f"{show(value)} is no duration; give a number with its unit between quotes, {self.bounds}")
        return within(value, parse_duration(self.minimum), parse_duration(self.maximum), format_duration)

    def write(self, value: timedelta) -> str:
        """The shortest text."""
        return format_duration(value)

    def schema(self) -> dict[str, Any]:
        """Text with a limit."""
        return {"type": "string", "minLength": 2, "maxLength": LONGEST_NUMBER}


@dataclass(frozen=True)
class Size(Value):
    """A size, in Python octets as an `int`. Bounds are written as values are: `Size("1KB", "1GB")`."""

    kind = "size"
    minimum: str
    maximum: str

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return f"{self.minimum} to {self.maximum}"

    def read(self, value: object) -> int:
        """The checked size, from text or a whole number of octets."""
        if isinstance(value, str):
            value = parsed(parse_size, value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise fault(f"{show(value)} is no size; give {self.bounds}")
        return within(value, parse_size(self.minimum), parse_size(self.maximum), format_size)

    def write(self, value: int) -> str:
        """The shortest text."""
        return format_size(value)

    def schema(self) -> dict[str, Any]:
        """Octets or text."""
        return {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": True,
            "maxLength": LONGEST_NUMBER,
        }


@dataclass(frozen=True)
class Text(Value):
    """Text of a given form; `form` says it in words, as a remedy."""

    kind = "text"
    pattern: str
    form: str
    longest: int = 253
    secret: bool = False
    """True when a wrong value must not be quoted."""

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return self.form

    def read(self, value: object) -> str:
        """The checked text."""
        shown = "the value" if self.secret else show(value)
        if not isinstance(value, str):
            raise fault(f"{shown} is no text; give {self.form}, between quotes if need be")
        if len(value) > self.longest:
            raise fault(f"{len(value)} characters are too many; give at most {self.longest}")
        if not re.fullmatch(self.pattern, value):
            raise fault(f"{shown} does not fit; give {self.form}")
        return value

    def schema(self) -> dict[str, Any]:
        """Text with a limit."""
        return {"type": "string", "maxLength": self.longest}


@dataclass(frozen=True)
class ParsedText(Text):
    """Text that something else has to be able to read, too, as an address that has the form of one."""

    parse: Callable[[str], object] = str
    """Raises `ValueError` for what is none."""

    def read(self, value: object) -> str:
        """The checked text."""
        text = super().read(value)
        try:
            self.parse(text)
        except ValueError:
            raise fault(f"{show(text)} is none; give {self.form}") from None
        return text


@dataclass(frozen=True)
class Texts(Value):
    """Texts by keys that begin alike."""

    kind = "map of texts"
    prefix: str
    """What each key begins with."""
    denied: tuple[str, ...]
    """Keys that may not be given."""
    most: int
    """How many there may be."""
    longest: int
    """Characters of a text."""

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return f"keys that begin with {self.prefix}; not {', '.join(self.denied)}"

    @property
    def form(self) -> str:
        """What to give, as a remedy."""
        return f"keys that begin with {self.prefix} and that the operator does not set itself"

    def read(self, value: object) -> dict[str, str]:
        """The checked texts."""
        if not isinstance(value, dict) or not all(isinstance(text, str) for pair in value.items() for text in pair):
            raise fault("is no map of texts; give each value between quotes")
        if wrong := next((key for key in value if not key.startswith(self.prefix) or key in self.denied), None):
            raise fault(f"{show(wrong)} does not fit; give {self.form}")
        if len(value) > self.most or any(len(text) > self.longest for text in value.values()):
            raise fault(f"is too large; give at most {self.most} texts of {self.longest} characters")
        return dict(value)

    def schema(self) -> dict[str, Any]:
        """A map with limits."""
        texts = {"type": "string", "maxLength": self.longest}
        return {"type": "object", "additionalProperties": texts, "maxProperties": self.most}


@dataclass(frozen=True)
class Facts(Value):
    """What a program tells, in whatever form: an object of JSON."""

    kind = "object"

    @property
    def bounds(self) -> str:
        """What is allowed, in words."""
        return "any"

    def read(self, value: object) -> dict[str, Any]:
        """The object."""
        if not isinstance(value, dict):
            raise fault(f"{show(value)} is no object")
        return value

    def schema(self) -> dict[str, Any]:
        """An object that is kept as it is."""
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def parsed(parse: Callable[[str], Any], text: str) -> Any:
    """What `parse` makes of the text, its `ValueError` turned into a fault."""
    try:
        return parse(text)
    except ValueError as error:
        raise fault(str(error)) from error
