import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from forebay.runtime import UnavailableError
from forebay.runtime.status import DETAILS_KEY, to_status
from forebay_operator.pods.problem import problem_of

TARGET = "ipv4:192.0.2.1:7119"


def failed(code, text="no", **trailing):
    return AioRpcError(code, Metadata(), Metadata(*trailing.items()), text)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (StatusCode.UNAVAILABLE, "see the pod's log, and whether a NetworkPolicy keeps the operator out"),
        (StatusCode.DEADLINE_EXCEEDED, "see the pod's log, and whether it has processor time enough"),
        (StatusCode.UNAUTHENTICATED, "see the certificates in the pod's Secret"),
        (StatusCode.PERMISSION_DENIED, "delete it, so that it starts anew"),
        (StatusCode.INTERNAL, "see the pod's log"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_each_failure_names_address_code_and_remedy(code, remedy):
    problem = problem_of(failed(code), TARGET)
    assert problem.startswith(f"the service at 192.0.2.1:7119 answered {code.name} (no); ")
    assert problem.endswith(remedy)


def test_a_service_that_starts_is_no_failure():
    details = to_status(UnavailableError("outfeed is starting", reason="STARTING")).SerializeToString()
    error = failed(StatusCode.UNAVAILABLE, **{DETAILS_KEY: details})
    assert problem_of(error, TARGET) == "the service is starting"
