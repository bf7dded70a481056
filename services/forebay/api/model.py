"""The base of all objects in resources: frozen, strict about unknown fields, camelCase outside, snake_case inside."""

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError

from forebay.api.quantities import format_duration
from forebay.api.rules import Rule, as_context, broken

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

    @model_validator(mode="after")
    def check_rules(self) -> Self:
        """Raise what breaks the rules between the fields."""
        if problems := broken(self.rules, self):
            raise PydanticCustomError("rules", "{text}", as_context(problems))
        return self


class SchemaGenerator(GenerateJsonSchema):
    """Makes JSON schemas whose defaults are written as manifests write them."""

    def encode_default(self, dft: Any) -> Any:
        """A default as JSON."""
        return format_duration(dft) if isinstance(dft, timedelta) else super().encode_default(dft)


def json_schema(model: type[Model]) -> dict[str, Any]:
    """The JSON schema of a kind or of an object in it, by the names of manifests."""
    return model.model_json_schema(by_alias=True, schema_generator=SchemaGenerator)
