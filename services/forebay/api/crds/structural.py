"""Structural schemas, as Kubernetes checks resources by, from the models: every type plain, every default complete."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from annotated_types import MaxLen, MinLen
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from forebay.api.crds.fields import Held, held_by, named_fields
from forebay.api.crds.validations import Validation, of_model, of_value
from forebay.api.model import Model
from forebay.api.rules import Distinct

Schema = dict[str, Any]


def object_schema(model: type[Model], *, filled: bool = True) -> Schema:
    """The schema of an object, its rules included; `filled` with defaults, but for objects that inherit."""
    filled = filled and not model.inherits
    properties = {name: field_schema(field, filled) for name, field in named_fields(model)}
    for rule in model.rules:
        if isinstance(rule, Distinct):
            properties[rule.field] |= distinct(rule)
    required = [name for name, field in named_fields(model) if field.is_required()]
    schema: Schema = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {}) | validated(of_model(model))


def field_schema(field: FieldInfo, filled: bool) -> Schema:
    """The schema of a field, with its meaning and, where it is filled in, its default."""
    return {
        "description": " ".join((field.description or "").split()),
        **_held_schema(held_by(field), filled),
        **(default(field) if filled else {}),
    }


def default(field: FieldInfo) -> Schema:
    """The default as manifests have it. None and an empty list need no words."""
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    if value in (None, ()):
        return {}
    adapter: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
    return {"default": without_empty(adapter.dump_python(value, mode="json", by_alias=True, exclude_none=True))}


def without_empty(value: Any) -> Any:
    """A value without the empty lists in it."""
    if not isinstance(value, dict):
        return value
    return {name: without_empty(item) for name, item in value.items() if item != []}


def distinct(rule: Distinct) -> Schema:
    """The part of a list's schema that keeps its items distinct."""
    if rule.key:
        return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [rule.key]}
    return {"x-kubernetes-list-type": "set"}


def validated(validations: Iterable[Validation]) -> Schema:
    """The part of a schema that holds rules; empty without any."""
    bodies = [validation.body() for validation in validations]
    return {"x-kubernetes-validations": bodies} if bodies else {}


def _held_schema(held: Held, filled: bool) -> Schema:
    if held.value:
        return held.value.schema() | validated(of_value(held.value))
    if held.item:
        return _list_schema(held, held.item, filled)
    if held.model:
        return object_schema(held.model, filled=filled)
    return {"type": "boolean"} if held.type is bool else {"type": "string", "enum": _choices(held.type)}


def _list_schema(held: Held, item: Held, filled: bool) -> Schema:
    longest = min(note.max_length for note in held.notes if isinstance(note, MaxLen))
    shortest = max((note.min_length for note in held.notes if isinstance(note, MinLen)), default=0)
    schema: Schema = {"type": "array", "items": _held_schema(item, filled), "maxItems": longest}
    return schema | ({"minItems": shortest} if shortest else {}) | {"x-kubernetes-list-type": "atomic"}


def _choices(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return [str(member) for member in kind]
    raise TypeError(f"{kind} has no structural schema; give it a type of forebay.api.values")
