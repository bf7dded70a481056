"""Rules as Kubernetes takes them (`x-kubernetes-validations`): an expression, a message with a remedy, the field."""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, NamedTuple

from forebay.api.crds import cel
from forebay.api.crds.fields import held_at, held_by, named_fields
from forebay.api.model import Model
from forebay.api.rules import (
    Differ,
    Distinct,
    ExactlyOne,
    GivenFor,
    Immutable,
    Kept,
    NotAbove,
    OnlyFor,
    OnlyGrows,
    Paired,
    Problem,
    Settled,
    SomePositive,
    StaysPositive,
)
from forebay.api.values import Number, Size, Span, Text, Texts, Value

REQUIRED, FORBIDDEN = "FieldValueRequired", "FieldValueForbidden"


class Validation(NamedTuple):
    """One rule about the value that it stands beside."""

    rule: str
    """Expression of CEL that is true when all is well."""
    message: str
    field: str = ""
    """The field within the value that the message is about."""
    reason: str = ""
    """What kind of fault it is; empty: the value is wrong."""

    def body(self) -> dict[str, Any]:
        """As a schema has it."""
        path = f".{self.field}" if self.field else ""
        body = {"rule": self.rule, "message": self.message, "reason": self.reason, "fieldPath": path}
        return {name: value for name, value in body.items() if value}


def of_value(value: Value) -> Iterator[Validation]:
    """What a schema alone can't say of a single value, or not in words that help."""
    if isinstance(value, Text) and not value.secret:
        yield Validation(cel.matches("self", value.pattern), f"does not fit; give {value.form}")
    elif isinstance(value, Size):
        remedy = "as a number with its unit, such as 10MB or 16MiB"
        yield Validation(cel.size_within(value), f"does not fit; give {value.bounds}, {remedy}")
    elif isinstance(value, Span):
        remedy = "as a number with its unit, such as 500ms, 5m or 10d"
        yield Validation(cel.span_within(value), f"does not fit; give {value.bounds}, {remedy}")
    elif isinstance(value, Number):
        # The bounds of a schema fail here: Kubernetes holds a whole number against the whole part of each.
        yield Validation(cel.number_within(value), f"does not fit; give {value.bounds}")
    elif isinstance(value, Texts):
        yield Validation(cel.keys_fit(value), f"does not fit; give {value.form}")


def of_model(model: type[Model]) -> Iterator[Validation]:
    """The rules of a model."""
    for rule in (*model.rules, *model.transitions):
        yield from of_rule(rule, model)
    # Kubernetes quotes a value that breaks its own rule, but not one that breaks a rule of what surrounds it.
    for name, field in named_fields(model):
        value = held_by(field).value
        if isinstance(value, Text) and value.secret:
            rule = f"!{cel.given(name)} || {cel.matches(f'self.{name}', value.pattern)}"
            yield Validation(rule, f"does not fit; give {value.form}", name)


@singledispatch
def of_rule(rule: Any, model: type[Model]) -> Iterator[Validation]:
    """A rule between the fields of a model, or about their change."""
    raise NotImplementedError(type(rule).__name__)


@of_rule.register
def _(rule: ExactlyOne, model: type[Model]) -> Iterator[Validation]:
    some = {field: filled(model, field) for field in rule.fields}
    yield told(" || ".join(f"({each})" for each in some.values()), rule.missing, REQUIRED)
    for position, extra in enumerate(rule.fields):
        for first in rule.fields[:position]:
            yield told(f"!({some[first]} && {some[extra]})", rule.excess(extra, first), FORBIDDEN)


@of_rule.register
def _(rule: NotAbove, model: type[Model]) -> Iterator[Validation]:
    value = ordered(model, rule.low)
    low, high = f"self.{rule.low}", f"self.{rule.high}"
    needed = [cel.given(rule.low), cel.given(rule.high), cel.readable(low, value), cel.readable(high, value)]
    yield told(f"!({' && '.join(filter(None, needed))}) || {cel.not_above(low, high, value)}", rule.fault)


@of_rule.register
def _(rule: Differ, model: type[Model]) -> Iterator[Validation]:
    needed = f"{cel.given(rule.field)} && {cel.given(rule.other)}"
    yield told(f"!({needed}) || self.{rule.field} != self.{rule.other}", rule.fault)


@of_rule.register
def _(rule: SomePositive, model: type[Model]) -> Iterator[Validation]:
    positive = f"self.{rule.field}.exists(item, !item.startsWith('!') && !item.startsWith('@'))"
    yield told(f"!({filled(model, rule.field)}) || {positive}", rule.fault)


@of_rule.register
def _(rule: Distinct, model: type[Model]) -> Iterator[Validation]:
    # Kubernetes has it as a type of lists.
    return iter(())


@of_rule.register
def _(rule: Paired, model: type[Model]) -> Iterator[Validation]:
    for value, wanted in rule.pairs:
        pair = f"self.{rule.other} != {cel.literal(value)} || self.{rule.field} == {cel.literal(wanted)}"
        yield told(pair, rule.fault(value, wanted))


@of_rule.register
def _(rule: OnlyFor, model: type[Model]) -> Iterator[Validation]:
    allowed = f"self.{rule.other} in {cel.literals(rule.values)}"
    yield told(f"!({cel.given(rule.field)}) || {allowed}", rule.fault, FORBIDDEN)


@of_rule.register
def _(rule: GivenFor, model: type[Model]) -> Iterator[Validation]:
    needed = f"self.{rule.other} in {cel.literals(rule.values)}"
    yield told(f"!({needed}) || {cel.given(rule.field)}", rule.fault, REQUIRED)


@of_rule.register
def _(rule: Immutable, model: type[Model]) -> Iterator[Validation]:
    yield told(f"self.{rule.field} == oldSelf.{rule.field}", rule.fault, FORBIDDEN)


@of_rule.register
def _(rule: Kept, model: type[Model]) -> Iterator[Validation]:
    field = rule.field
    yield told(
        f"!has(oldSelf.{field}) || (has(self.{field}) && self.{field} == oldSelf.{field})", rule.fault, FORBIDDEN
    )


@of_rule.register
def _(rule: Settled, model: type[Model]) -> Iterator[Validation]:
    yield told(f"has(self.{rule.field}) == has(oldSelf.{rule.field})", rule.fault, FORBIDDEN)


@of_rule.register
def _(rule: OnlyGrows, model: type[Model]) -> Iterator[Validation]:
    value = ordered(model, rule.field)
    new, old = f"self.{rule.field}", f"oldSelf.{rule.field}"
    yield told(f"!{cel.readable(new, value)} || {cel.not_above(old, new, value)}", rule.fault, FORBIDDEN)


@of_rule.register
def _(rule: StaysPositive, model: type[Model]) -> Iterator[Validation]:
    old, new = f"oldSelf.{rule.field}", f"self.{rule.field}"
    was = f"has({old}) && {old} > 0"
    yield told(f"!({was}) || (has({new}) && {new} > 0)", rule.fault, FORBIDDEN)


def ordered(model: type[Model], field: str) -> Value:
    """The type of a field whose values have an order."""
    value = held_at(model, field).value
    if value is None:
        raise TypeError(f"{model.__name__}.{field} holds no single value; a rule about order needs one")
    return value


def filled(model: type[Model], field: str) -> str:
    """Whether a field is there and, if it is a list, not empty."""
    return f"{cel.given(field)} && self.{field}.size() > 0" if held_at(model, field).item else cel.given(field)


def told(rule: str, problem: Problem, reason: str = "") -> Validation:
    """A rule with what to say when it is broken."""
    field, message = problem
    return Validation(rule, message, field, reason)
