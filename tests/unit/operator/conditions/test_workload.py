import pytest

from forebay_operator.conditions import Workload

from .known import container, pod, workload


def test_one_with_all_its_pods_ready_is_ready():
    assert workload().is_ready
    assert workload().lacking is None


def test_before_there_is_a_statefulset_it_is_being_made():
    assert not Workload().is_ready
    assert Workload().lacking.reason == "Creating"


def test_without_a_pod_the_statefulset_tells_more():
    lacking = Workload(workload().statefulset).lacking
    assert lacking.reason == "PodMissing"
    assert "has 0 of 1 Pods; if it stays so, `kubectl -n news describe statefulset hub-outfeed`" in lacking.message


def test_a_pod_that_is_not_ready_starts():
    assert workload(pod(ready=False)).lacking == ("Starting", "hub-outfeed-0 is not ready yet")


def test_trouble_comes_before_waiting():
    crashed = pod(ready=False, containerStatuses=[container(state={"terminated": {"exitCode": 1}})])
    assert workload(crashed).lacking.reason == "PodCrashing"


def test_every_pod_counts():
    assert not workload(pod(), replicas=2).is_ready
    assert workload(pod(), pod("hub-outfeed-1"), replicas=2).is_ready


@pytest.mark.parametrize(
    ("status", "rolls"),
    [
        pytest.param({}, False, id="unknown"),
        pytest.param({"currentRevision": "a", "updateRevision": "a"}, False, id="same"),
        pytest.param({"currentRevision": "a", "updateRevision": "b"}, True, id="other"),
    ],
)
def test_it_rolls_while_pods_have_another_template(status, rolls):
    assert workload(**status).is_rolling is rolls
