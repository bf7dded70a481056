"""Rules between fields of one object, as data: checked here, and open to be written as CEL for Kubernetes.

Names of fields are those of the manifests, relative to the object; `a.b` reaches into a field's object.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic.alias_generators import to_snake

Problem = tuple[str, str]
"""The field, and what is wrong with it and what to do."""


class Rule(Protocol):
    """One rule of a kind of object."""

    def problems(self, value: Any) -> Iterable[Problem]:
        """What breaks the rule; nothing where it holds."""

    @property
    def text(self) -> str:
        """The rule in words, for the reference page."""


@dataclass(frozen=True)
class ExactlyOne:
    """Of some fields one is given, and no other."""

    fields: tuple[str, ...]

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"Exactly one of {listed(self.fields, 'and')} is given."

    def problems(self, value: Any) -> Iterator[Problem]:
        """None of them, or too many."""
        given = [field for field in self.fields if get(value, field) not in (None, (), "")]
        if not given:
            yield self.fields[0], f"is missing; give {listed(self.fields, 'or')}"
        for extra in given[1:]:
            yield extra, f"excludes {given[0]}; remove one of them"


@dataclass(frozen=True)
class NotAbove:
    """A field that is given is at most another that is given."""

    low: str
    high: str

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.low,))} is at most {listed((self.high,))}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """The lower is above the higher."""
        low, high = get(value, self.low), get(value, self.high)
        if low is not None and high is not None and low > high:
            yield self.low, f"is above {self.high}; lower it, or raise {self.high}"


@dataclass(frozen=True)
class Differ:
    """Two fields, if both are given, name different things."""

    field: str
    other: str

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} differs from {listed((self.other,))}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """They name the same."""
        named = get(value, self.field)
        if named is not None and named == get(value, self.other):
            yield self.field, f"is the same as {self.other}; name another"


@dataclass(frozen=True)
class SomePositive:
    """A list of patterns, if any are given, has one that includes."""

    field: str

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} has at least one pattern without `!` or `@` before it."

    def problems(self, value: Any) -> Iterator[Problem]:
        """All patterns exclude."""
        patterns = get(value, self.field)
        if patterns and all(pattern.startswith(("!", "@")) for pattern in patterns):
            yield self.field, "only excludes and so matches nothing; begin it with '*', or with what is wanted"


def get(value: Any, field: str) -> Any:
    """The value of a field by its name in manifests; None where an object on the way is not given."""
    for name in field.split("."):
        value = None if value is None else getattr(value, to_snake(name))
    return value


def listed(fields: Iterable[str], word: str = "") -> str:
    """The fields as a phrase: `a`, `b` and `c`."""
    *others, last = (f"`{field}`" if word != "or" else field for field in fields)
    return f"{', '.join(others)} {word} {last}" if others else last


def broken(rules: Iterable[Rule], value: Any) -> list[Problem]:
    """What breaks any of the rules."""
    return [problem for rule in rules for problem in rule.problems(value)]


def as_context(problems: list[Problem]) -> dict[str, Any]:
    """Problems as the context of a pydantic error, which carries them to whoever lists them by field."""
    text = "; ".join(f"{field} {what}" for field, what in problems)
    return {"text": text, "problems": problems}
