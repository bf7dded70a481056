"""What failed requests mean."""

import json

import aiohttp
from kubernetes.aio.client.exceptions import ApiException

from forebay_operator.body import Body
from forebay_operator.errors import (
    ConflictError,
    EndingError,
    ForbiddenError,
    InvalidError,
    KubeError,
    NotFoundError,
    UnavailableError,
)

FAILURES = (ApiException, aiohttp.ClientError, OSError, TimeoutError, ValueError)
"""What a request can raise: refusals, no connection, no answer in time, an answer that is no JSON."""

_ERRORS: dict[int, type[KubeError]] = {
    400: InvalidError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidError,
    # Our token has just run out; the next try has another.
    401: UnavailableError,
    429: UnavailableError,
}
LONGEST_MESSAGE = 1000
NAMESPACE_TERMINATING = "NamespaceTerminating"
"""The cause that a 403 gives when its namespace is being deleted."""


def translated(action: str, failure: Exception) -> KubeError:
    """The error of this package that a failure stands for."""
    if not isinstance(failure, ApiException):
        return UnavailableError(action, 0, f"{type(failure).__name__} {failure}".strip()[:LONGEST_MESSAGE])
    status = int(failure.status or 0)
    error = _ERRORS.get(status, UnavailableError if status >= 500 or not status else KubeError)
    if error is ForbiddenError and NAMESPACE_TERMINATING in causes_of(failure):
        error = EndingError
    found = error(action, status, message_of(failure))
    if isinstance(found, UnavailableError):
        found.retry_after = retry_after(failure)
    return found


def message_of(failure: ApiException) -> str:
    """The message in the Status that the API server answered with."""
    return str(status_of(failure).get("message") or failure.reason or "")[:LONGEST_MESSAGE]


def causes_of(failure: ApiException) -> list[str]:
    """The reasons of the causes in that Status."""
    causes = (status_of(failure).get("details") or {}).get("causes") or []
    return [str(cause.get("reason", "")) for cause in causes]


def status_of(failure: ApiException) -> Body:
    """The Status that the API server answered with; empty where it was something else, as from a proxy."""
    try:
        status = json.loads(failure.body or "")
    except ValueError:
        return {}
    return status if isinstance(status, dict) else {}


def retry_after(failure: ApiException) -> float:
    """Seconds that the API server asks to wait; 0 where it doesn't say."""
    try:
        return float((failure.headers or {}).get("Retry-After", 0))
    except ValueError:
        return 0.0
