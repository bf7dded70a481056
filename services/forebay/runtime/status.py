"""Service errors as google.rpc.Status on the wire (AIP-193), and back into errors for clients."""

from collections.abc import Callable
from typing import Any

from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import StatusCode
from grpc.aio import AioRpcError

from forebay.runtime.errors import FieldViolation, Resource, ServiceError, UnavailableError

DOMAIN = "forebay.dev"
DETAILS_KEY = "grpc-status-details-bin"
MESSAGE_LIMIT = 1024
"""Characters of a message that are sent: gRPC limits a call's metadata to 8 KiB, and details go there too."""
CUT_OFF = "the service went away in the midst of the call"
VIOLATIONS_LIMIT = 2048
"""Octets of field violations that are sent, for the same reason; the message tells how many were left out."""


def to_status(error: ServiceError, request_id: str = "") -> status_pb2.Status:
    """The status of an error: ErrorInfo always, and BadRequest, RetryInfo, ResourceInfo, RequestInfo where they fit."""
    violations, left_out = bad_request(error)
    message = clipped(error.message)
    if left_out:
        message += f" (and {left_out} more fields)"
    status = status_pb2.Status(code=error.code.value[0], message=message)
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.facts))
    if violations.field_violations:
        status.details.add().Pack(violations)
    if error.retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(round(error.retry_after * 1e9))
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    if error.resource is not None:
        kind, name = error.resource
        status.details.add().Pack(error_details_pb2.ResourceInfo(resource_type=kind, resource_name=name))
    if request_id:
        status.details.add().Pack(error_details_pb2.RequestInfo(request_id=request_id))
    return status


def clipped(text: str) -> str:
    """The text, its end replaced by an ellipsis when it is too long to send."""
    return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + "…"


def bad_request(error: ServiceError) -> tuple[error_details_pb2.BadRequest, int]:
    """As many field violations as may be sent, and how many are left out."""
    detail = error_details_pb2.BadRequest()
    for index, (field, description) in enumerate(error.violations):
        if detail.ByteSize() + len(field) + len(description) > VIOLATIONS_LIMIT:
            return detail, len(error.violations) - index
        detail.field_violations.add(field=field, description=description)
    return detail, 0


def from_rpc_error(call_error: AioRpcError) -> ServiceError:
    """What a failed call means: the error that the service raised, or one made of the bare code and text.

    Its message is for people: it says what failed, and holds the fields and the delay that came with it.
    """
    status = details_of(call_error)
    code = call_error.code()
    if code is StatusCode.CANCELLED and not status.message:
        # Whoever cancels a call gets no error: a server that ends has cut it off, as it may by UNAVAILABLE, too.
        return UnavailableError(CUT_OFF)
    message = status.message or call_error.details() or code.value[1]
    error = error_class(code)(message)
    for detail in status.details:
        for prototype, read in DETAIL_READERS:
            if detail.Is(prototype.DESCRIPTOR):
                read(error, detail)
    return error


def describe(call_error: AioRpcError) -> str:
    """A failed call in one text for people: code, message, fields, delay."""
    error = from_rpc_error(call_error)
    lines = [f"{call_error.code().name}: {error.message}"]
    lines += [f"  {field}: {description}" for field, description in error.violations]
    if error.retry_after is not None:
        lines.append(f"  try again in {error.retry_after:g} s")
    return "\n".join(lines)


def error_class(code: StatusCode) -> type[ServiceError]:
    """The error that stands for a status code; `ServiceError` itself for a code that no service here answers."""
    for known in ServiceError.__subclasses__():
        if known.code is code:
            return known
    return ServiceError


def details_of(call_error: AioRpcError) -> status_pb2.Status:
    """The google.rpc.Status in the trailing metadata; an empty one when there is none or it cannot be read."""
    for key, value in call_error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                break
    return status_pb2.Status()


def read_error_info(error: ServiceError, detail: any_pb2.Any) -> None:
    """Take the reason and its facts over."""
    info = error_details_pb2.ErrorInfo()
    detail.Unpack(info)
    error.reason, error.facts = info.reason, dict(info.metadata)


def read_bad_request(error: ServiceError, detail: any_pb2.Any) -> None:
    """Take the field violations over."""
    request = error_details_pb2.BadRequest()
    detail.Unpack(request)
    error.violations = tuple(FieldViolation(each.field, each.description) for each in request.field_violations)


def read_retry_info(error: ServiceError, detail: any_pb2.Any) -> None:
    """Take the delay over."""
    info = error_details_pb2.RetryInfo()
    detail.Unpack(info)
    error.retry_after = info.retry_delay.ToNanoseconds() / 1e9


def read_resource_info(error: ServiceError, detail: any_pb2.Any) -> None:
    """Take the resource over."""
    info = error_details_pb2.ResourceInfo()
    detail.Unpack(info)
    error.resource = Resource(info.resource_type, info.resource_name)


DETAIL_READERS: list[tuple[Any, Callable[[ServiceError, any_pb2.Any], None]]] = [
    (error_details_pb2.ErrorInfo, read_error_info),
    (error_details_pb2.BadRequest, read_bad_request),
    (error_details_pb2.RetryInfo, read_retry_info),
    (error_details_pb2.ResourceInfo, read_resource_info),
]
