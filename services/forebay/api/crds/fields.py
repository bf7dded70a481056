"""Fields of models, taken apart: what they hold, and the notes beside it."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from forebay.api.model import Model
from forebay.api.values import Value


class Held(NamedTuple):
    """What a field holds, without the None of an optional one."""

    type: Any
    """A class, or `tuple[X, ...]`, or a Literal."""
    notes: tuple[Any, ...]
    """What `Annotated` adds, the innermost first."""

    @property
    def value(self) -> Value | None:
        """The note that describes a single value."""
        return next((note for note in self.notes if isinstance(note, Value)), None)

    @property
    def item(self) -> "Held | None":
        """What each item is, when it is a list."""
        return held(get_args(self.type)[0]) if get_origin(self.type) is tuple else None

    @property
    def model(self) -> type[Model] | None:
        """The class, when it is an object."""
        return self.type if isinstance(self.type, type) and issubclass(self.type, Model) else None


def held(annotation: Any, notes: tuple[Any, ...] = ()) -> Held:
    """Take a type apart."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return held(inner, (*more, *notes))
    if origin in (Union, UnionType):
        [inner] = (part for part in get_args(annotation) if part is not NoneType)
        return held(inner, notes)
    return Held(annotation, notes)


def held_by(field: FieldInfo) -> Held:
    """What a field holds."""
    return held(field.annotation, tuple(field.metadata))


def named_fields(model: type[Model]) -> Iterator[tuple[str, FieldInfo]]:
    """The fields of a model by their names in manifests."""
    return ((field.alias or name, field) for name, field in model.model_fields.items())


def held_at(model: type[Model], path: str) -> Held:
    """What a field within a model holds, by its path as rules name it: `a.b`."""
    first, _, rest = path.partition(".")
    here = held_by(dict(named_fields(model))[first])
    return held_at(here.model, rest) if rest and here.model else here
