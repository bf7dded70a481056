"""References from resources to Secrets."""

from collections.abc import Iterator

from pydantic import BaseModel

from forebay.api.v1alpha1 import SecretReference
from forebay.api.violations import Path


def references(value: object, path: Path = ()) -> Iterator[tuple[Path, SecretReference]]:
    """The references within a resource, or within a part of one that lies at a path; each with its own path."""
    if isinstance(value, SecretReference):
        yield path, value
    elif isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield from references(getattr(value, name), (*path, field.alias or name))
    elif isinstance(value, tuple):
        for position, item in enumerate(value):
            yield from references(item, (*path, position))
