import pytest

from forebay_operator.conditions.podtrouble import is_ready, trouble_of

from .known import container, pod


def waiting(reason, message="", **fields):
    return container(state={"waiting": {"reason": reason, "message": message}}, **fields)


def ended(code, reason="Error"):
    return {"terminated": {"exitCode": code, "reason": reason}}


def trouble(*containers, **status):
    return trouble_of(pod(ready=False, containerStatuses=list(containers), **status))


def test_a_pod_that_runs_has_no_trouble():
    assert trouble_of(pod()) is None
    assert is_ready(pod())


def test_a_pod_that_ends_is_not_ready():
    ending = pod()
    ending["metadata"]["deletionTimestamp"] = "2026-01-01T12:00:00Z"
    assert not is_ready(ending)


def test_a_pod_without_a_status_is_only_new():
    new = {"metadata": {"name": "hub-outfeed-0", "namespace": "news"}}
    assert trouble_of(new) is None
    assert not is_ready(new)


@pytest.mark.parametrize("reason", ["ContainerCreating", "PodInitializing"])
def test_a_container_that_is_being_made_is_no_trouble(reason):
    assert trouble(waiting(reason)) is None


def test_a_pod_that_no_node_takes_is_told_in_the_schedulers_words():
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "Insufficient memory"}
    fault = trouble_of({**pod(ready=False), "status": {"phase": "Pending", "conditions": [condition]}})
    assert fault.reason == "Unschedulable"
    assert "no node takes the Pod hub-outfeed-0: Insufficient memory; free or add a node" in fault.message


@pytest.mark.parametrize("reason", ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"])
def test_an_image_that_can_not_be_pulled_is_named(reason):
    fault = trouble(waiting(reason, "no such host"))
    assert fault.reason == "ImagePullFailed"
    assert "can't get its image forebay:1: no such host; check image.name and image.pullSecrets" in fault.message


def test_a_container_that_can_not_be_made_is_told():
    fault = trouble(waiting("CreateContainerConfigError", 'secret "hub-outfeed-tls" not found'))
    assert fault.reason == "ContainerNotCreated"
    assert 'secret "hub-outfeed-tls" not found; `kubectl -n news describe pod hub-outfeed-0`' in fault.message


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(waiting("CrashLoopBackOff", lastState=ended(1)), id="backing-off"),
        pytest.param(container(state=ended(1)), id="ended"),
        pytest.param(container(state={"running": {}}, lastState=ended(1)), id="running-again"),
    ],
)
def test_a_container_that_ends_again_and_again_is_told_the_same_in_each_phase(status):
    fault = trouble(status)
    assert fault.reason == "PodCrashing"
    assert "(exit code 1); `kubectl -n news logs hub-outfeed-0 --previous` tells why" in fault.message


def test_one_that_ends_without_an_error_backs_off_too():
    assert "exit code 0" in trouble(waiting("CrashLoopBackOff", lastState=ended(0, "Completed"))).message
    assert "it backs off" in trouble(waiting("CrashLoopBackOff")).message


def test_one_that_came_back_is_no_trouble():
    assert trouble(container(ready=True, state={"running": {}}, lastState=ended(1))) is None


def test_one_that_ran_out_of_memory_is_told_the_remedy():
    assert "out of memory: raise its limit" in trouble(container(lastState=ended(137, "OOMKilled"))).message


def test_an_evicted_pod_is_told():
    fault = trouble(phase="Failed", reason="Evicted", message="The node was low on resource: memory")
    assert fault.reason == "PodFailed"
    assert "(Evicted: The node was low on resource: memory)" in fault.message


def test_containers_of_others_count_too():
    assert trouble(initContainerStatuses=[waiting("ErrImagePull")]).reason == "ImagePullFailed"


def test_a_long_message_of_kubernetes_is_cut():
    assert len(trouble(waiting("ErrImagePull", "x" * 5000)).message) < 700
