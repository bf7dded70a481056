"""The base of all objects in resources: frozen, strict about unknown fields, camelCase outside, snake_case inside."""

from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from forebay.api.rules import Rule, Transition, as_context, broken

T = TypeVar("T")
LONGEST_LIST = 1000
Items = Annotated[tuple[T, ...], Field(max_length=LONGEST_LIST)]
"""A list."""


class Model(BaseModel):
    """An object whose fields have a unit, a default and bounds, and whose rules hold.

    In Python it is built by the names of its attributes; manifests are read by the camelCase names alone.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
    )
    inherits: ClassVar[bool] = False
    """What is left out is looked for elsewhere, so that nothing may fill it in; rules are about what was given."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    """What holds between its fields."""
    transitions: ClassVar[tuple[Transition, ...]] = ()
    """How it may change; checked by Kubernetes."""

    def given(self) -> dict[str, Any]:
        """What it was given, as JSON has it; no default is filled in."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_unset=True)

    @model_validator(mode="after")
    def check_rules(self) -> Self:
        """Raise what breaks the rules between the fields."""
        if problems := broken(self.rules, Given(self) if self.inherits else self):
            raise PydanticCustomError("rules", "{text}", as_context(problems))
        return self


class Given:
    """An object as far as it was given: what was left out, and may be inherited, is None."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name) if name in self._model.model_fields_set else None
