"""What callers of the service are told of the errors of a node.

The tree of what a node raises is in `conduit.core.errors`; each becomes the `ServiceError` that fits.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import (
    ConduitError,
    InvalidUriError,
    NotAgreedError,
    SampleTooLargeError,
    TooManyQueriesError,
    UnknownDeclarationError,
    UnknownPeerError,
    UnknownPublisherError,
    WindowFullError,
)
from forebay.runtime.errors import (
    FieldViolation,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    ServiceError,
    UnavailableError,
    UnimplementedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

RETRY_SECONDS = 1.0


class NodeEndedError(ConduitError):
    """The node has ended while samples waited for room."""


@contextmanager
def told(field: str) -> Iterator[None]:
    """Turns what a node raises into what a caller is told; `field` of the request is where a fault lies."""
    try:
        yield
    except ConduitError as error:
        raise service_error(error, field) from error


def service_error(error: ConduitError, field: str) -> ServiceError:
    """What a caller is told of an error."""
    text = str(error)
    match error:
        case UnknownDeclarationError() | UnknownPublisherError() | UnknownPeerError():
            return NotFoundError(text)
        case NotAgreedError():
            return UnimplementedError(text, reason="NOT_AGREED", facts={"missing": error.missing})
        case TooManyQueriesError():
            return ResourceExhaustedError(text, reason="TOO_MANY_QUERIES", retry_after=RETRY_SECONDS)
        case WindowFullError():
            return ResourceExhaustedError(text, reason="WINDOW_FULL", retry_after=RETRY_SECONDS)
        case NodeEndedError():
            return stopping()
        case _:
            return InvalidArgumentError(text, reason=_reason(error), violations=[FieldViolation(field, text)])


def _reason(error: ConduitError) -> str:
    match error:
        case InvalidUriError():
            return "INVALID_URI"
        case SampleTooLargeError():
            return "SAMPLE_TOO_LARGE"
        case _:
            return ""


def invalid(field: str, problem: str) -> InvalidArgumentError:
    """What is wrong with one field of a request."""
    return InvalidArgumentError(f"{field} {problem}", violations=[FieldViolation(field, problem)])


def stopping() -> UnavailableError:
    """The service ends, and so do its streams."""
    return UnavailableError("the service stops: attach again", retry_after=RETRY_SECONDS)
