"""Errors of the services.

ForebayError
├── ServiceError                    what a gRPC call answers: a status code, a reason and details
│   ├── InvalidArgumentError        INVALID_ARGUMENT, with field violations
│   ├── UnauthenticatedError        UNAUTHENTICATED
│   ├── PermissionDeniedError       PERMISSION_DENIED
│   ├── NotFoundError               NOT_FOUND, with the resource
│   ├── AlreadyExistsError          ALREADY_EXISTS, with the resource
│   ├── FailedPreconditionError     FAILED_PRECONDITION
│   ├── AbortedError                ABORTED
│   ├── ResourceExhaustedError      RESOURCE_EXHAUSTED, with a retry delay
│   ├── UnavailableError            UNAVAILABLE, with a retry delay
│   ├── DeadlineExceededError       DEADLINE_EXCEEDED
│   ├── UnimplementedError          UNIMPLEMENTED
│   └── InternalError               INTERNAL, with the id under which the log tells more
├── FieldError                      a field of a resource cannot be used here
├── SettingsError                   the service cannot start like this
│   ├── AddressError                an address that is none, or that cannot be bound
│   ├── InsecureBindError           plain text beyond loopback
│   └── TracingUnavailableError     the extra `tracing` is not installed
├── CertificateError                certificate files that cannot be used
├── LeaseError                      the state of a lease could not be told
├── TaskCrashedError                a task that a service cannot do without has ended by an exception
└── DrainTimeoutError               a service did not finish within its grace period
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from grpc import StatusCode


class FieldViolation(NamedTuple):
    """One thing wrong with a request or a resource."""

    field: str
    """Path of the field, as `spec.connections.max`."""
    description: str
    """What is wrong with the value, and what to give instead."""


class Resource(NamedTuple):
    """What an error is about."""

    kind: str
    name: str


class ForebayError(Exception):
    """Base of all errors that Forebay raises on purpose."""


class FieldError(ForebayError):
    """A field of a resource cannot be used here, though it is well formed; `violation` tells what to do."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}")
        self.violation = FieldViolation(field, description)


class ServiceError(ForebayError):
    """What a call answers: `reason` is for programs (UPPER_SNAKE_CASE), the message for people.

    `retry_after` is in seconds; `facts` are small values for programs, such as a limit.
    """

    code: ClassVar[StatusCode] = StatusCode.UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        retry_after: float | None = None,
        violations: Sequence[FieldViolation] = (),
        resource: Resource | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or self.code.name
        self.retry_after = retry_after
        self.violations = tuple(violations)
        self.resource = resource
        self.facts = dict(facts or {})


class InvalidArgumentError(ServiceError):
    """The request is wrong whatever the state of the service; `violations` tell its fields."""

    code = StatusCode.INVALID_ARGUMENT


class UnauthenticatedError(ServiceError):
    """The caller showed no certificate where one is needed."""

    code = StatusCode.UNAUTHENTICATED


class PermissionDeniedError(ServiceError):
    """The caller is known, and may not do this."""

    code = StatusCode.PERMISSION_DENIED


class NotFoundError(ServiceError):
    """There is no such thing."""

    code = StatusCode.NOT_FOUND


class AlreadyExistsError(ServiceError):
    """There is such a thing already."""

    code = StatusCode.ALREADY_EXISTS


class FailedPreconditionError(ServiceError):
    """Not in this state: something else has to be done first."""

    code = StatusCode.FAILED_PRECONDITION


class AbortedError(ServiceError):
    """Someone else was faster: read again and repeat."""

    code = StatusCode.ABORTED


class ResourceExhaustedError(ServiceError):
    """Full, or over a limit."""

    code = StatusCode.RESOURCE_EXHAUSTED


class UnavailableError(ServiceError):
    """Not now; the same call may work a little later or elsewhere."""

    code = StatusCode.UNAVAILABLE


class DeadlineExceededError(ServiceError):
    """The call took longer than it may."""

    code = StatusCode.DEADLINE_EXCEEDED


class UnimplementedError(ServiceError):
    """This service or peer does not do that."""

    code = StatusCode.UNIMPLEMENTED


class InternalError(ServiceError):
    """A fault of ours; its message holds the id under which the service's log tells more."""

    code = StatusCode.INTERNAL


class SettingsError(ForebayError):
    """A service cannot start with these settings."""


class AddressError(SettingsError):
    """An address that cannot be read or bound."""


class InsecureBindError(SettingsError):
    """Plain text would be reachable from other machines."""


class TracingUnavailableError(SettingsError):
    """Traces are asked for and the packages for them are missing."""


class CertificateError(ForebayError):
    """Certificate files are missing, unreadable or do not fit each other."""


class LeaseError(ForebayError):
    """Whether a lease is held could not be told: the lock file or the Kubernetes API failed."""


class TaskCrashedError(ForebayError):
    """A task that its service cannot do without has ended by an exception, which is the cause of this one."""


class DrainTimeoutError(ForebayError):
    """A service did not finish within its grace period and was cut off."""
