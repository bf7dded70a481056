"""Generate docs/resources.md from the resources' models.

Usage: generate_resources.py [--check]

With --check nothing is written: the exit status is 1 when the page is not current.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

from generatedpage import main
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from forebay.api.model import Model
from forebay.api.quantities import format_duration
from forebay.api.v1alpha1 import API_VERSION, KINDS, Metadata, PeerDefaults, Resource
from forebay.api.values import Size, Value

PAGE = Path(__file__).with_name("resources.md")
INTRODUCTION = f"""\
# Resources

<!-- Made by docs/generate_resources.py from services/forebay/api; change the models, then run it. -->

What Forebay is told to do is written as resources of the group and version `{API_VERSION}`. The same YAML
is for `kubectl apply -f` in a cluster and for `forebay serve -f` and `forebay up -f` without one. Files are read
strictly: an unknown field, a repeated key or an alias is an error, and every error of every file is told at once, with
its file, line, field and remedy. `forebay validate -f` does that alone.

A **duration** is a number with its unit, as `500ms`, `30s`, `5m`, `1h30m` or `10d`. A **size** is one too, as `10MB` (a
million octets each) or `16MiB` (1,048,576 each), with `KB` to `TB` and `KiB` to `TiB`; a plain number is octets. Text
that YAML would take for something else (`on`, `12:30`) needs quotes.

Credentials are never fields: a resource names a key of a Secret. Without a cluster the Secret, as Kubernetes has it
(`apiVersion: v1`, `kind: Secret`), is given among the files.

What a Peerfeed leaves out is as `spec.defaults` of its Outfeed say, and only where those are silent as the column
Default tells.
"""
HEADER = ["| Field | Meaning | Unit | Default | Bounds |", "|---|---|---|---|---|"]


class Row(NamedTuple):
    """One field as the page shows it."""

    path: str
    meaning: str
    unit: str = ""
    default: str = ""
    bounds: str = ""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, "## Metadata of all kinds\n", table(rows(Metadata, "metadata."))]
    for name, kind in KINDS.items():
        parts += [f"## {name}\n", f"{kind.__doc__}\n", table(kind_rows(kind)), *rule_list(kind)]
    return "\n".join(parts)


def table(lines: Iterator[Row]) -> str:
    """Rows as a Markdown table."""
    return "\n".join([*HEADER, *(f"| {' | '.join(row)} |" for row in lines), ""])


def kind_rows(kind: type[Resource]) -> Iterator[Row]:
    """The fields of a kind's spec, after those of its metadata that are its own."""
    common = set(rows(Metadata, "metadata."))
    yield from (row for row in rows(model_of(kind.model_fields["metadata"]), "metadata.") if row not in common)
    yield from rows(model_of(kind.model_fields["spec"]), "spec.")


def rows(model: type[BaseModel], prefix: str) -> Iterator[Row]:
    """The fields of an object, each followed by those of the object that it holds."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        inner = next(models_in(field.annotation), None)
        many = "[]" if is_list(field) else ""
        yield Row(f"`{path}{many}`", meaning(field), unit(field), default(field), bounds(field))
        if inner and inner is not PeerDefaults:
            yield from rows(inner, f"{path}{many}.")


def meaning(field: FieldInfo) -> str:
    """What a field is, on one line."""
    return " ".join((field.description or "").split())


def unit(field: FieldInfo) -> str:
    """What a field's value counts, or else what it is."""
    if next(models_in(field.annotation), None):
        return "object"
    if value := value_of(field):
        return getattr(value, "unit", "") or value.kind
    if bool in parts_of(field.annotation):
        return "true or false"
    return "choice" if choices(field) else "map of texts"


def default(field: FieldInfo) -> str:
    """What counts when the field is left out."""
    if field.is_required():
        return "required"
    given = field.get_default(call_default_factory=True)
    first = given[0] if isinstance(given, tuple) and given else given
    if first is None or isinstance(first, BaseModel) or first in ((), {}, ""):
        return ""
    return f"`{written(given, value_of(field))}`"


def written(given: Any, value: Value | None) -> str:
    """A default as manifests have it."""
    if isinstance(given, timedelta):
        return format_duration(given)
    if isinstance(given, tuple):
        return ", ".join(given)
    if isinstance(value, Size):
        return str(value.write(given))
    return str(given).lower() if isinstance(given, bool) else f"{given:g}" if isinstance(given, float) else str(given)


def bounds(field: FieldInfo) -> str:
    """What values are allowed."""
    if names := choices(field):
        return " or ".join(f"`{name}`" for name in names)
    value = value_of(field)
    return re.sub(r"([*_])", r"\\\1", value.bounds) if value else ""


def choices(field: FieldInfo) -> list[str]:
    """The values of an enumeration."""
    kinds = (part for part in parts_of(field.annotation) if isinstance(part, type) and issubclass(part, StrEnum))
    return [str(member) for member in next(kinds, ())]


def value_of(field: FieldInfo) -> Value | None:
    """The type of a field that holds a single value, or a list of such."""
    return next((item for item in (*field.metadata, *parts_of(field.annotation)) if isinstance(item, Value)), None)


def models_in(annotation: Any) -> Iterator[type[Model]]:
    """The objects that a type is made of."""
    return (part for part in parts_of(annotation) if isinstance(part, type) and issubclass(part, Model))


def is_list(field: FieldInfo) -> bool:
    """Whether a field holds a list."""
    return any(get_origin(part) is tuple for part in parts_of(field.annotation))


def model_of(field: FieldInfo) -> type[Model]:
    """The object that a field holds."""
    return next(models_in(field.annotation))


def parts_of(annotation: Any) -> Iterator[Any]:
    """A type, and what it is made of: its arguments and annotations, and theirs."""
    yield annotation
    for argument in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
        yield from parts_of(argument)


def rule_list(kind: type[Resource]) -> list[str]:
    """The rules between fields of a kind, as a list."""
    found = list(rules(model_of(kind.model_fields["spec"]), "spec"))
    parents = [f"- `spec.{field}` names an existing {parent or 'resource'}." for field, parent in kind.parents.items()]
    return ["Rules:\n", "\n".join(found + parents) + "\n"] if found or parents else []


def rules(model: type[Model], path: str) -> Iterator[str]:
    """The rules of an object and of those within, those about changes too."""
    yield from (f"- In `{path}`: {rule.text}" for rule in (*model.rules, *model.transitions))
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            if inner is PeerDefaults:
                continue
            yield from rules(inner, f"{path}.{field.alias or name}")


if __name__ == "__main__":
    main(PAGE, page, Path(__file__), __doc__)
