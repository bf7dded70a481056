"""Inheritance: a Peerfeed with what its Outfeed says for all its peers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from forebay.api.model import Model
from forebay.api.rules import broken
from forebay.api.v1alpha1 import Outfeed, Peerfeed, PeerfeedSpec
from forebay.api.violations import Violation, suggestion, violations

_NAMED = re.compile(r"([!@]?)\$([A-Za-z][A-Za-z0-9_]*)")
_SIGNS = ("!", "@")


def complete(peerfeed: Peerfeed, outfeed: Outfeed) -> tuple[Peerfeed, list[Violation]]:
    """The resource with the Outfeed's defaults and named patterns filled in, and what is wrong then.

    Where something is, the resource is as it was.
    """
    spec = peerfeed.spec
    if outfeed.spec.defaults:
        try:
            spec = PeerfeedSpec.model_validate(merged(outfeed.spec.defaults.given(), spec.given()), by_name=False)
        except ValidationError as error:
            return peerfeed, [Violation(("spec", *path), text) for path, text in violations(error, PeerfeedSpec)]
    patterns = {named.name: named.groups for named in outfeed.spec.patterns}
    fields = {"groups": "groups", "requiredGroups": "required_groups"}
    faults: list[Violation] = []
    expanded: dict[str, Any] = {}
    for field, attribute in fields.items():
        listed: Sequence[str] = getattr(spec, attribute)
        faults += unknown_names(field, listed, patterns)
        expanded[attribute] = tuple(with_named(listed, patterns))
    faults += broken_rules(spec)
    if faults:
        return peerfeed, faults
    return peerfeed.model_copy(update={"spec": spec.model_copy(update=expanded)}), []


def broken_rules(value: Model, path: tuple[str, ...] = ("spec",)) -> Iterator[Violation]:
    """What breaks the rules of an object and of those within, now that nothing is left out any more."""
    for field, problem in broken(value.rules, value):
        yield Violation((*path, *field.split(".")), problem)
    for name, field_info in type(value).model_fields.items():
        inner = getattr(value, name)
        if isinstance(inner, Model):
            yield from broken_rules(inner, (*path, field_info.alias or name))


def merged(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given over the defaults, object by object; lists are taken whole."""
    result = dict(defaults)
    for name, value in given.items():
        below = result.get(name)
        result[name] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return result


def unknown_names(field: str, listed: Sequence[str], patterns: Mapping[str, Sequence[str]]) -> Iterator[Violation]:
    """Items that name patterns which there are not, or which cannot be taken out."""
    for position, item in enumerate(listed):
        found = _NAMED.fullmatch(item)
        if found is None:
            continue
        sign, name = found.groups()
        path = "spec", field, position
        if name not in patterns:
            remedy = suggestion(name, list(patterns)) if patterns else "add it to patterns there"
            yield Violation(path, f"the Outfeed has no patterns {name}; {remedy}")
        elif sign and any(pattern.startswith(_SIGNS) for pattern in patterns[name]):
            yield Violation(path, f"the patterns {name} have signs of their own; name those without")


def with_named(listed: Sequence[str], patterns: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The items, those that name patterns replaced by these; a sign before a name goes before each of them."""
    for item in listed:
        found = _NAMED.fullmatch(item)
        if found is None or found[2] not in patterns:
            yield item
        else:
            yield from (found[1] + pattern for pattern in patterns[found[2]])
