from dataclasses import replace

import pytest

from forebay_operator.conditions import Fault, Workload
from forebay_operator.conditions.serviceready import service_ready
from manifests import outfeed, peerfeed, spill

from .known import NOT_CONFIGURED, SILENT, changed, container, pod, result, view, workload

HUB = outfeed()


def ready(*views, resource=HUB, runs=None, fault=None):
    return service_ready(resource, runs or workload(), views, fault)


def test_true_once_the_newest_generation_is_in_force():
    assert ready(view(result(HUB))) == ("True", "Applied", "in force")


def test_what_a_service_left_aside_is_told():
    verdict = ready(view(result(HUB, warnings=["spec.new is unknown"])))
    assert (verdict.status, verdict.message) == ("True", "in force; left aside: spec.new is unknown")


def test_refused_peers_are_named_and_counted():
    peers = [result(peerfeed(f"p{number}"), ("spec.groups", "is wrong")) for number in range(8)]
    verdict = ready(view(result(HUB), *peers))
    assert verdict.status == "True"
    assert verdict.message.endswith("in its own conditions: p0, p1, p2, p3, p4 and 3 more")


def test_false_by_what_kept_it_from_being_brought_about():
    fault = Fault("NameTaken", "Service hub-outfeed belongs to someone else; rename it")
    assert ready(view(result(HUB)), fault=fault) == ("False", *fault)


def test_false_while_its_objects_are_being_made():
    assert ready(runs=Workload())[:2] == ("False", "Creating")


def test_false_by_the_trouble_of_a_pod():
    crashed = pod(ready=False, containerStatuses=[container(state={"terminated": {"exitCode": 1}})])
    assert ready(SILENT, runs=workload(crashed))[:2] == ("False", "PodCrashing")


def test_false_while_its_pod_starts():
    assert ready(SILENT, runs=workload(pod(ready=False)))[:2] == ("False", "Starting")


def test_false_when_a_pod_that_is_ready_does_not_answer():
    assert ready(SILENT) == ("False", "ServiceUnreachable", f"hub-outfeed-0: {SILENT.problem}")


def test_false_when_a_pod_does_not_take_its_configuration():
    verdict = ready(view(result(HUB), problem="answered INTERNAL (id 7); see the pod's log"))
    assert verdict == ("False", "ApplyFailed", "hub-outfeed-0: answered INTERNAL (id 7); see the pod's log")


def test_unknown_while_the_newest_generation_is_on_its_way():
    verdict = ready(view(result(HUB)), resource=changed(HUB))
    assert verdict == ("Unknown", "Applying", "generation 2 is on its way to the service")


@pytest.mark.parametrize("views", [(), (view(),)], ids=["no-pod-has-an-address", "not-in-its-results"])
def test_unknown_before_the_service_has_told(views):
    assert ready(*views)[:2] == ("Unknown", "Applying")


def test_a_namesake_of_before_does_not_count():
    before = result(HUB)._replace(uid="another")
    assert ready(view(before))[:2] == ("Unknown", "Applying")


def test_false_when_the_service_refuses_it():
    verdict = ready(view(result(HUB, ("spec.listeners.nntp", "cannot listen on port 119; choose another"))))
    assert verdict[:2] == ("False", "Refused")
    assert verdict.message == (
        "spec.listeners.nntp: cannot listen on port 119; choose another; what was applied before stays in force"
    )


def test_all_pods_have_to_have_it():
    assert ready(view(result(HUB)), view(result(HUB, ("spec", "is wrong"))))[:2] == ("False", "Refused")


def test_false_when_nothing_is_in_force_for_its_spill_is_refused():
    refused = result(spill(), ("spec.urlFrom.secretRef", "there is no key url in a Secret redis: add it"))
    verdict = ready(view(refused, result(HUB), degradations=[NOT_CONFIGURED]))
    assert verdict[:2] == ("False", "NotConfigured")
    assert verdict.message == "Spill main: spec.urlFrom.secretRef: there is no key url in a Secret redis: add it"


def test_false_when_nothing_is_in_force_for_another_reason():
    verdict = ready(view(degradations=[NOT_CONFIGURED], revision=0))
    assert verdict == ("False", "NotConfigured", NOT_CONFIGURED.message)


def test_a_malformed_generation_is_told_whether_the_service_answers_or_not():
    broken = changed(HUB, storage={"size": "1B"})
    assert ready(SILENT, resource=broken)[:2] == ("False", "Invalid")
    assert ready(SILENT, resource=broken).message.startswith("spec.storage.size: ")
    assert ready(SILENT, resource=broken).message.endswith("nothing is in force until it is mended")


def test_a_malformed_generation_leaves_the_older_one_in_force():
    verdict = ready(view(result(HUB)), resource=changed(HUB, storage={"size": "1B"}))
    assert verdict.message.endswith("what was applied before stays in force")


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({"forebay.dev/node": "old"}, ("Unknown", "Restarting"), id="older"),
        pytest.param({}, ("Unknown", "Restarting"), id="without"),
        pytest.param({"forebay.dev/node": "new", "other": "x"}, ("False", "Refused"), id="of-now"),
    ],
)
def test_what_a_pod_refuses_that_is_to_be_replaced_is_not_final(annotations, expected):
    body = pod()
    body["metadata"]["annotations"] = annotations
    runs = replace(workload(body), annotations={"forebay.dev/node": "new"})
    verdict = ready(view(result(HUB, ("spec.lease", "stays as it was"))), runs=runs)
    assert verdict[:2] == expected
    assert ready(view(result(HUB)), runs=runs)[:2] == ("True", "Applied")
