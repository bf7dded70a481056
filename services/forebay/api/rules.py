"""Rules between fields of one object, as data: checked here, and written as CEL for Kubernetes.

Names of fields are those of the manifests, relative to the object; `a.b` reaches into a field's object.
A transition is a rule about a change. Kubernetes alone holds the object as it was, so it alone checks transitions.
"""

from collections import Counter
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


class Transition(Protocol):
    """One rule about the change of an object."""

    @property
    def text(self) -> str:
        """The rule in words, for the reference page."""

    @property
    def fault(self) -> Problem:
        """What to say of a change that breaks it."""


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
            yield self.missing
        for extra in given[1:]:
            yield self.excess(extra, given[0])

    @property
    def missing(self) -> Problem:
        """What to say when none is given."""
        return self.fields[0], f"is missing; give {listed(self.fields, 'or')}"

    def excess(self, extra: str, first: str) -> Problem:
        """What to say of a field that is given beside another."""
        return extra, f"excludes {first}; remove one of them"


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
            yield self.fault

    @property
    def fault(self) -> Problem:
        """What to say when the lower is above the higher."""
        return self.low, f"is above {self.high}; lower it, or raise {self.high}"


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
            yield self.fault

    @property
    def fault(self) -> Problem:
        """What to say when they name the same."""
        return self.field, f"is the same as {self.other}; name another"


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
            yield self.fault

    @property
    def fault(self) -> Problem:
        """What to say when all patterns exclude."""
        return self.field, "only excludes and so matches nothing; begin it with '*', or with what is wanted"


@dataclass(frozen=True)
class Distinct:
    """No item of a list is there twice, or no two items have the same value in the field `key`."""

    field: str
    key: str = ""

    @property
    def text(self) -> str:
        """The rule in words."""
        items = f"no two items with the same `{self.key}`" if self.key else "no item twice"
        return f"{listed((self.field,))} holds {items}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """Items that are there again."""
        items = get(value, self.field) or ()
        counts = Counter(get(item, self.key) if self.key else item for item in items)
        for named in (name for name, count in counts.items() if count > 1):
            yield self.field, f"holds {named!r} twice; remove one"


@dataclass(frozen=True)
class Paired:
    """What a field may be is decided by another, which has one of the values listed."""

    field: str
    other: str
    pairs: tuple[tuple[str, str], ...]
    """The other's values, each with what the field is then."""

    @property
    def text(self) -> str:
        """The rule in words."""
        cases = ", ".join(f"`{wanted}` for `{value}`" for value, wanted in self.pairs)
        return f"{listed((self.field,))} is decided by {listed((self.other,))}: {cases}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """It is something else."""
        wanted = dict(self.pairs).get(get(value, self.other))
        if wanted is not None and get(value, self.field) != wanted:
            yield self.fault(get(value, self.other), wanted)

    def fault(self, value: str, wanted: str) -> Problem:
        """What to say where the field is not what is wanted by the other's value."""
        return self.field, f"does not go with {self.other} {value}; give {wanted}, or another {self.other}"


@dataclass(frozen=True)
class OnlyFor:
    """A field is given only where another has one of some values."""

    field: str
    other: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} is given only where {listed((self.other,))} is {listed(self.values, 'or')}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """It is given where it means nothing."""
        if get(value, self.field) is not None and get(value, self.other) not in self.values:
            yield self.fault

    @property
    def fault(self) -> Problem:
        """What to say where it means nothing."""
        return self.field, f"means nothing here; remove it, or give {self.other} {listed(self.values, 'or')}"


@dataclass(frozen=True)
class GivenFor:
    """A field is given where another has one of some values."""

    field: str
    other: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} is given where {listed((self.other,))} is {listed(self.values, 'or')}."

    def problems(self, value: Any) -> Iterator[Problem]:
        """It is missing where it is needed."""
        if get(value, self.field) is None and get(value, self.other) in self.values:
            yield self.fault

    @property
    def fault(self) -> Problem:
        """What to say where it is missing."""
        return (
            self.field,
            f"is missing for {self.other} {listed(self.values, 'or')}; add it, or give another {self.other}",
        )


@dataclass(frozen=True)
class Immutable:
    """A field stays as it was created."""

    field: str
    reason: str
    """Why, after a `since`."""

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} can't be changed, since {self.reason}."

    @property
    def fault(self) -> Problem:
        """What to say of a change."""
        return self.field, f"can't be changed, since {self.reason}; keep it, or create another resource with it"


@dataclass(frozen=True)
class Kept:
    """A field may be added to a resource that was created without it; once it is given, it stays as it is."""

    field: str
    reason: str
    """Why, after a `since`."""

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} can be added later, but not changed or removed, since {self.reason}."

    @property
    def fault(self) -> Problem:
        """What to say of a change."""
        problem = f"can't be changed or removed once it is given, since {self.reason}"
        return self.field, f"{problem}; keep it, or create another resource"


@dataclass(frozen=True)
class Settled:
    """A field that was left out stays so, and one that was given stays given; what it holds may change."""

    field: str
    reason: str
    """Why, after a `since`."""

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} can't be added or removed, since {self.reason}."

    @property
    def fault(self) -> Problem:
        """What to say of a change."""
        problem = f"can't be added or removed, since {self.reason}; leave it, or create another resource"
        return self.field, problem


@dataclass(frozen=True)
class OnlyGrows:
    """A size does not shrink."""

    field: str

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} can't be lowered, since volumes can't shrink."

    @property
    def fault(self) -> Problem:
        """What to say of a smaller size."""
        return self.field, "can't be lowered, since volumes can't shrink; give what it was, or more"


@dataclass(frozen=True)
class StaysPositive:
    """A number that is above 0 never goes back to it."""

    field: str
    reason: str
    """Why, after a `since`."""

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"{listed((self.field,))} can't go back to 0, since {self.reason}."

    @property
    def fault(self) -> Problem:
        """What to say of 0."""
        return self.field, f"can't go back to 0, since {self.reason}; give 1 or more, or create another resource"


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
