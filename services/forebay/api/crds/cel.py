"""Expressions of CEL, the language in which Kubernetes takes rules: single values, and their order.

Kubernetes refuses a rule whose cost has no bound. Texts that `string` makes and items of a list that is made have
none, so the expressions do without them, at the price of repeating themselves.
"""

import json
from collections.abc import Iterable
from datetime import timedelta

from forebay.api.quantities import DURATION_PATTERN, SIZE_PATTERN, parse_duration, parse_size
from forebay.api.values import Number, Size, Span, Texts, Value

MILLISECOND = timedelta(milliseconds=1)
DAY = timedelta(days=1) // MILLISECOND


def literal(text: str) -> str:
    """A text as CEL writes it."""
    return json.dumps(text)


def literals(texts: Iterable[str]) -> str:
    """A list of texts as CEL writes it."""
    return f"[{', '.join(map(literal, texts))}]"


def matches(operand: str, pattern: str) -> str:
    """Whether a text fits a pattern."""
    return f"{operand}.matches({literal(pattern)})"


def given(path: str) -> str:
    """Whether a field is there, with the objects on the way to it."""
    parts = path.split(".")
    return " && ".join(f"has({'.'.join(['self', *parts[: depth + 1]])})" for depth in range(len(parts)))


def order(operand: str, value: Value) -> str:
    """What a single value is compared by: a number as it is, a size as a quantity, a duration as its milliseconds."""
    if isinstance(value, Size):
        return f"(type({operand}) == int ? quantity('0').add({operand}) : quantity({quantity_text(operand)}))"
    return milliseconds(operand) if isinstance(value, Span) else operand


def quantity_text(operand: str) -> str:
    """The text of a size as Kubernetes writes quantities: 10M for 10MB, 16Mi for 16MiB, 4k for 4KB."""
    return f"{operand}.replace('iB', 'i').replace('KB', 'k').replace('B', '')"


def milliseconds(operand: str) -> str:
    """The milliseconds of a duration. CEL knows no days, so they are counted apart."""
    days = f"int('0' + {operand}.find('^[0-9]+d').replace('d', ''))"
    rest = f"duration({operand}.find('([0-9]+[hms]+)*$') + '0s')"
    return f"({days} * {DAY} + {rest}.getMilliseconds())"


def readable(operand: str, value: Value) -> str:
    """Whether `order` can make something of what is there; empty where it always can."""
    if isinstance(value, Size):
        return f"(type({operand}) == int || isQuantity({quantity_text(operand)}))"
    return matches(operand, DURATION_PATTERN) if isinstance(value, Span) else ""


def not_above(low: str, high: str, value: Value) -> str:
    """Whether one value is at most another of the same type."""
    first, second = order(low, value), order(high, value)
    return f"{first}.compareTo({second}) <= 0" if isinstance(value, Size) else f"{first} <= {second}"


def number_within(value: Number) -> str:
    """Whether a number is within its bounds."""
    return f"self >= {float(value.minimum)} && self <= {float(value.maximum)}"


def size_within(value: Size) -> str:
    """Whether a size is one, and within its bounds."""
    low, high = (parse_size(bound) for bound in (value.minimum, value.maximum))
    number = f"self >= {low} && self <= {high}"
    size = f"quantity({quantity_text('self')})"
    text = f"!{size}.isLessThan(quantity('{low}')) && !{size}.isGreaterThan(quantity('{high}'))"
    return f"type(self) == int ? {number} : {matches('self', SIZE_PATTERN)} && {text}"


def span_within(value: Span) -> str:
    """Whether a duration is one, and within its bounds."""
    low, high = (parse_duration(bound) // MILLISECOND for bound in (value.minimum, value.maximum))
    span = milliseconds("self")
    return f"{matches('self', DURATION_PATTERN)} && {span} >= {low} && {span} <= {high}"


def keys_fit(value: Texts) -> str:
    """Whether the keys of a map are among those that may be given."""
    denied = f"{literals(value.denied)}.all(key, !(key in self))"
    return f"self.all(key, key.startsWith({literal(value.prefix)})) && {denied}"
