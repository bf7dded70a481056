"""The base of all objects in resources: frozen, strict about unknown fields, camelCase outside, snake_case inside."""

from typing import Annotated, ClassVar, Self, TypeVar

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
    rules: ClassVar[tuple[Rule, ...]] = ()
    """What holds between its fields."""
    transitions: ClassVar[tuple[Transition, ...]] = ()
    """How it may change; checked by Kubernetes."""

    @model_validator(mode="after")
    def check_rules(self) -> Self:
        """Raise what breaks the rules between the fields."""
        if problems := broken(self.rules, self):
            raise PydanticCustomError("rules", "{text}", as_context(problems))
        return self
