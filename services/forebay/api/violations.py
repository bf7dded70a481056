"""What is wrong with a resource, field by field, in words that name the remedy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from forebay.api.model import Model
from forebay.api.values import show

Path = tuple[str | int, ...]
"""Keys and positions from the resource down to a field."""


class Violation(NamedTuple):
    """One thing wrong with a resource."""

    path: Path
    """Where."""
    description: str
    """What is wrong and what to do."""

    @property
    def field(self) -> str:
        """The path as text: `spec.hosts[0]`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).removeprefix(".")

    def __str__(self) -> str:
        return f"{self.field}: {self.description}" if self.path else self.description


def violations(error: ValidationError, model: type[Model]) -> list[Violation]:
    """All that a validation of `model` found."""
    details = error.errors(include_url=False)
    # A list with a faulty item counts as shorter than it is.
    surrounding = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    told = (detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in surrounding)
    return [found for detail in told for found in _expand(detail, model)]


def unknown_fields(error: ValidationError) -> list[Path]:
    """Paths of the fields that no model knows."""
    return [detail["loc"] for detail in error.errors(include_url=False) if detail["type"] == "extra_forbidden"]


def suggestion(word: str, known: Sequence[str]) -> str:
    """A remedy for an unknown word: the known one that it resembles, or all of them."""
    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"


def _expand(detail: ErrorDetails, model: type[Model]) -> Iterator[Violation]:
    path = detail["loc"]
    if detail["type"] == "rules":
        for field, problem in detail["ctx"]["problems"]:
            yield Violation((*path, *field.split(".")), problem)
    elif detail["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in _model_at(model, path[:-1]).model_fields.items()]
        yield Violation(path, f"is unknown; {suggestion(str(path[-1]), known)}")
    else:
        wording = _WORDINGS.get(detail["type"])
        yield Violation(path, wording(detail["input"], detail.get("ctx", {})) if wording else detail["msg"])


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel]:
    """The model of the object at a path that leads through models and lists of them."""
    for part in path:
        if isinstance(part, str):
            field = next(field for name, field in model.model_fields.items() if (field.alias or name) == part)
            model = next(_models_in(field.annotation))
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a type is made of: X, X | None, tuple[X, ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


_WORDINGS: dict[str, Callable[[Any, Mapping[str, Any]], str]] = {
    "missing": lambda value, context: "is required; add it",
    "string_type": lambda value, context: f"{show(value)} is no text; put it between quotes",
    "bool_type": lambda value, context: f"{show(value)} is neither true nor false; give one of them, without quotes",
    "literal_error": lambda value, context: f"{show(value)} is not known; give {context['expected']}",
    "enum": lambda value, context: f"{show(value)} is not known; give {context['expected']}",
    "model_type": lambda value, context: f"{show(value)} is no mapping; give fields with their values",
    "dict_type": lambda value, context: f"{show(value)} is no mapping; give names with their values",
    "tuple_type": lambda value, context: f"{show(value)} is no list; give a list, even for one item",
    "too_short": lambda value, context: f"has {context['actual_length']} items; give at least {context['min_length']}",
    "too_long": lambda value, context: f"has {context['actual_length']} items; give at most {context['max_length']}",
}
