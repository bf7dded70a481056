import pytest

from forebay.runtime import Degradation
from forebay_operator.conditions import Fault, Workload, spill_status
from forebay_operator.conditions.spillready import spill_ready
from manifests import spill

from .known import NOW, SILENT, SPILL_AWAY, after, changed, pod, result, view, workload

GIVEN = spill()
MANAGED = spill(managed={})
USER = {"kind": "Outfeed", "name": "main", "uid": "uid-1"}


def ready(*views, resource=GIVEN, runs=None, fault=None, used=True):
    return spill_ready(resource, used, runs or Workload(), views, fault)


def test_true_when_the_services_can_use_it():
    assert ready(view(result(GIVEN))) == ("True", "Connected", "its services can use it")


def test_false_when_a_service_can_not():
    verdict = ready(view(result(GIVEN)), view(result(GIVEN), degradations=[SPILL_AWAY]))
    assert verdict == ("False", "SpillUnavailable", "hub-outfeed-0: Redis is away")


def test_what_a_service_does_without_beside_it_does_not_count():
    others = [Degradation("DiskFull", "no room"), SPILL_AWAY._replace(name="other")]
    assert ready(view(result(GIVEN), degradations=others)).status == "True"


def test_false_when_a_service_refuses_it():
    verdict = ready(view(result(GIVEN, ("spec", "the URL changed: restart the service"))))
    assert verdict == ("False", "Refused", "spec: the URL changed: restart the service")


def test_false_by_what_kept_it_from_being_brought_about():
    fault = Fault("SecretMissing", "there is no Secret redis; add it")
    assert ready(view(result(GIVEN)), fault=fault) == ("False", *fault)


def test_false_when_it_is_malformed():
    assert ready(resource=spill(url="http://x"))[:2] == ("False", "Invalid")


def test_unknown_while_a_change_is_on_its_way():
    assert ready(view(result(GIVEN)), resource=changed(GIVEN))[:2] == ("Unknown", "Applying")


def test_unknown_while_nobody_has_tried_a_given_one():
    assert ready(used=False)[:2] == ("Unknown", "Unused")


@pytest.mark.parametrize("views", [(), (SILENT,)], ids=["not-asked", "silent"])
def test_unknown_while_no_service_answers(views):
    assert ready(*views)[:2] == ("Unknown", "ServiceUnreachable")


def test_what_the_services_said_stays_while_they_are_away():
    told = after(GIVEN, spill_status(GIVEN, [USER], Workload(), [view(result(GIVEN))], NOW))
    assert ready(SILENT, resource=told)[:2] == ready(resource=told)[:2] == ("True", "Connected")


def test_but_not_of_an_older_generation():
    told = after(GIVEN, spill_status(GIVEN, [USER], Workload(), [view(result(GIVEN))], NOW))
    assert ready(SILENT, resource=changed(told))[:2] == ("Unknown", "ServiceUnreachable")


def test_a_managed_one_serves_before_anyone_uses_it():
    assert ready(resource=MANAGED, runs=workload(), used=False)[:2] == ("True", "Serving")


@pytest.mark.parametrize(
    ("runs", "reason"), [(Workload(), "Creating"), (workload(pod(ready=False)), "Starting")], ids=["made", "starting"]
)
def test_a_managed_one_is_not_ready_before_its_server_is(runs, reason):
    assert ready(view(result(MANAGED)), resource=MANAGED, runs=runs)[:2] == ("False", reason)
