"""What can go wrong in conduit.

ConduitError     of the core: `conduit.core.errors` has what a node tells its callers
└── FieldError   a field of a resource cannot be used here
"""

from forebay.conduit.core.errors import ConduitError
from forebay.runtime.errors import FieldViolation


class FieldError(ConduitError):
    """A field of a resource cannot be used here, though it is well formed; `violation` tells what to do."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}")
        self.violation = FieldViolation(field, description)
