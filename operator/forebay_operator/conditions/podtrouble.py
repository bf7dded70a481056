"""What keeps a Pod from running, by what its kubelet and the scheduler say of it."""

from collections.abc import Iterator

from forebay_operator.body import Body
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.wording import clipped

DETAIL_LENGTH = 400
"""Characters that are quoted of a message of Kubernetes'."""

_PULLING = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_CREATING = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})


def trouble_of(pod: Body) -> Fault | None:
    """Why a Pod does not run and will not by itself; None while nothing speaks against it."""
    return _not_scheduled(pod) or _failed(pod) or next(_container_troubles(pod), None)


def is_ready(pod: Body) -> bool:
    """Whether a Pod takes requests, and is not about to end."""
    return "deletionTimestamp" not in pod["metadata"] and _condition(pod, "Ready").get("status") == "True"


def _not_scheduled(pod: Body) -> Fault | None:
    condition = _condition(pod, "PodScheduled")
    if condition.get("status") != "False":
        return None
    reason, detail = condition.get("reason", "Unschedulable"), clipped(condition.get("message", ""), DETAIL_LENGTH)
    remedy = "free or add a node, or change requests, node selector or storage class in the operator's values"
    return Fault(reason, f"no node takes the Pod {_name(pod)}: {detail}; {remedy}")


def _failed(pod: Body) -> Fault | None:
    status = pod.get("status", {})
    if status.get("phase") != "Failed":
        return None
    detail = ": ".join(filter(None, (status.get("reason"), clipped(status.get("message", ""), DETAIL_LENGTH))))
    return Fault(
        "PodFailed", f"the Pod {_name(pod)} ended ({detail or 'no reason given'}); {_describe(pod)} tells more"
    )


def _container_troubles(pod: Body) -> Iterator[Fault]:
    status = pod.get("status", {})
    for container in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
        waiting = container.get("state", {}).get("waiting", {})
        detail = clipped(waiting.get("message", ""), DETAIL_LENGTH)
        if waiting.get("reason") in _PULLING:
            remedy = "check image.name and image.pullSecrets in the operator's values, and the registry"
            problem = f"the Pod {_name(pod)} can't get its image {container.get('image')}: {detail}; {remedy}"
            yield Fault("ImagePullFailed", problem)
        elif waiting.get("reason") in _CREATING:
            yield Fault(
                "ContainerNotCreated", f"the Pod {_name(pod)} can't start: {detail}; {_describe(pod)} tells more"
            )
        elif crash := _crash(container):
            yield Fault("PodCrashing", f"the Pod {_name(pod)} ends again and again ({crash}); {_logs(pod)} tells why")


def _crash(container: Body) -> str:
    """How a container ended that is not ready since; empty when it did not."""
    if container.get("ready"):
        return ""
    backs_off = container.get("state", {}).get("waiting", {}).get("reason") == "CrashLoopBackOff"
    for state in (container.get("state", {}), container.get("lastState", {})):
        ended = state.get("terminated", {})
        if ended.get("reason") == "OOMKilled":
            return "out of memory: raise its limit"
        if ended.get("exitCode") or (ended and backs_off):
            return f"exit code {ended.get('exitCode', 0)}"
    return "it backs off" if backs_off else ""


def _condition(pod: Body, kind: str) -> Body:
    conditions = pod.get("status", {}).get("conditions", ())
    return next((condition for condition in conditions if condition["type"] == kind), {})


def _name(pod: Body) -> str:
    return str(pod["metadata"]["name"])


def _describe(pod: Body) -> str:
    return f"`kubectl -n {pod['metadata'].get('namespace')} describe pod {_name(pod)}`"


def _logs(pod: Body) -> str:
    return f"`kubectl -n {pod['metadata'].get('namespace')} logs {_name(pod)} --previous`"
