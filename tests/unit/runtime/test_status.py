import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from forebay.runtime import errors
from forebay.runtime.errors import FieldViolation, Resource, ServiceError
from forebay.runtime.status import DETAILS_KEY, describe, from_rpc_error, to_status


def received(error, request_id=""):
    """The error as a client's library raises it."""
    status = to_status(error, request_id)
    return AioRpcError(error.code, Metadata(), Metadata((DETAILS_KEY, status.SerializeToString())), status.message)


def test_every_error_has_its_own_code():
    codes = [kind.code for kind in ServiceError.__subclasses__()]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("kind", ServiceError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_an_error_comes_back_as_itself(kind):
    sent = kind(
        "what, and what to do",
        reason="SOME_REASON",
        retry_after=2.5,
        violations=[FieldViolation("spec.x", "too large")],
        resource=Resource("Peerfeed", "a"),
        facts={"limit": "3"},
    )
    back = from_rpc_error(received(sent, "id-1"))
    assert type(back) is kind
    assert vars(back) == vars(sent)


def test_the_reason_defaults_to_the_code():
    assert errors.UnavailableError("no").reason == "UNAVAILABLE"


def test_an_error_without_details_keeps_code_and_text():
    back = from_rpc_error(AioRpcError(grpc.StatusCode.UNAVAILABLE, Metadata(), None, "connection refused"))
    assert isinstance(back, errors.UnavailableError)
    assert back.message == "connection refused"


def test_an_error_without_text_says_what_its_code_means():
    assert from_rpc_error(AioRpcError(grpc.StatusCode.OUT_OF_RANGE, Metadata(), Metadata())).message == "out of range"


def test_a_call_that_a_server_ended_with_itself_is_as_one_that_did_not_reach_it():
    back = from_rpc_error(AioRpcError(grpc.StatusCode.CANCELLED, Metadata(), Metadata(), "CANCELLED"))
    assert isinstance(back, errors.UnavailableError)
    assert back.message == "the service went away in the midst of the call"


def test_garbled_details_are_left_aside():
    garbled = AioRpcError(grpc.StatusCode.NOT_FOUND, Metadata(), Metadata((DETAILS_KEY, b"\xff\xff")), "gone")
    assert from_rpc_error(garbled).message == "gone"


def test_the_size_of_a_status_is_bounded():
    violations = [FieldViolation(f"spec.peers[{n}]", "x" * 200) for n in range(1000)]
    status = to_status(errors.InvalidArgumentError("y" * 5000, violations=violations))
    assert status.ByteSize() < 4096
    assert status.message.endswith("… (and 991 more fields)")


def test_describe_tells_code_message_fields_and_delay():
    error = errors.InvalidArgumentError("bad", violations=[FieldViolation("a.b", "is odd")], retry_after=1.0)
    assert describe(received(error)) == "INVALID_ARGUMENT: bad\n  a.b: is odd\n  try again in 1 s"
