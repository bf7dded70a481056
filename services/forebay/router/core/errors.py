"""Errors of the router's core.

ForebayError
└── CoreError
    ├── BadNameError    a name that no thread, group or domain may have
    └── FieldTypeError  a field of a message whose value is of no type that travels
"""

from forebay.runtime.errors import ForebayError


class CoreError(ForebayError):
    """Base of the errors of this package."""


class BadNameError(CoreError):
    """A name that no thread, group, process or domain may have; the message gives the remedy."""


class FieldTypeError(CoreError):
    """A field of a message has a value of a type that does not travel."""

    def __init__(self, field: str, value: object) -> None:
        super().__init__(
            f"field {field} is of type {type(value).__name__}: give a whole number of 64 bits, a float, text, octets "
            "or a truth value"
        )
        self.field = field
        self.value = value
