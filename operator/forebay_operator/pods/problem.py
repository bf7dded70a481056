"""Why a call to a pod failed, for whoever reads a condition."""

from grpc import StatusCode
from grpc.aio import AioRpcError

from forebay.runtime import from_rpc_error

_REMEDIES = {
    StatusCode.UNAVAILABLE: "see the pod's log, and whether a NetworkPolicy keeps the operator out",
    StatusCode.DEADLINE_EXCEEDED: "see the pod's log, and whether it has processor time enough",
    StatusCode.UNAUTHENTICATED: "the operator's certificate was not taken: see the certificates in the pod's Secret",
    StatusCode.PERMISSION_DENIED: "the pod takes another principal for the operator: delete it, so that it starts anew",
}


def problem_of(call_error: AioRpcError, target: str) -> str:
    """What failed and the next step, in one line; `target` as grpc names it."""
    error = from_rpc_error(call_error)
    if error.reason == "STARTING":
        return "the service is starting"
    address = target.partition(":")[2]
    remedy = _REMEDIES.get(call_error.code(), "see the pod's log")
    return f"the service at {address} answered {call_error.code().name} ({error.message}); {remedy}"
