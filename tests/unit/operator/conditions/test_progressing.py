from forebay_operator.conditions import Workload
from forebay_operator.conditions.progressing import progressing

from .known import SILENT, container, pod, view, workload


def verdict(*views, runs=None, revision=3, blocked=False):
    return progressing(runs or workload(), views, revision, blocked)[:2]


def test_false_when_all_pods_have_the_newest_configuration():
    assert verdict(view(revision=3)) == ("False", "UpToDate")


def test_true_while_objects_are_made_and_pods_start():
    assert verdict(runs=Workload()) == ("True", "Creating")
    assert verdict(runs=workload(pod(ready=False))) == ("True", "Starting")


def test_true_while_pods_are_replaced():
    assert verdict(view(revision=3), runs=workload(currentRevision="a", updateRevision="b")) == ("True", "Rolling")


def test_true_while_a_configuration_is_sent():
    assert verdict(view(revision=2)) == ("True", "Applying")


def test_unknown_while_a_pod_does_not_answer():
    assert verdict(SILENT) == ("Unknown", "ServiceUnreachable")


def test_false_when_somebody_has_to_act():
    assert verdict(view(revision=3), blocked=True) == ("False", "Blocked")
    crashed = pod(ready=False, containerStatuses=[container(state={"terminated": {"exitCode": 1}})])
    assert verdict(runs=workload(crashed)) == ("False", "Blocked")
