import pytest

from forebay_operator.conditions import Fault, peerfeed_status
from forebay_operator.conditions.condition import verdict_of
from manifests import peerfeed

from .known import NOT_CONFIGURED, NOW, SILENT, after, changed, peer, result, view

FEED = peerfeed("one")
WRONG = ("spec.groups", "the pattern a[ lacks its ]; add it")


def ready(*views, resource=FEED, fault=None):
    return verdict_of(peerfeed_status(resource, views, NOW, fault)["conditions"], "Ready")


def test_true_once_the_newest_generation_is_in_force():
    assert ready(view(result(FEED))) == ("True", "Applied", "in force")


def test_false_by_the_services_reason_while_the_older_one_stays_in_force():
    verdict = ready(view(result(FEED, WRONG), peers=[peer(FEED)]))
    assert verdict[:2] == ("False", "Refused")
    assert verdict.message == (
        "spec.groups: the pattern a[ lacks its ]; add it; what was applied before stays in force"
    )


def test_false_and_nothing_is_sent_when_there_was_no_older_one():
    assert ready(view(result(FEED, WRONG))).message.endswith("nothing of it is in force until it is mended")


def test_false_without_its_parent():
    fault = Fault("ParentMissing", "there is no Outfeed main; apply it, or name another in spec.outfeedRef")
    assert ready(fault=fault) == ("False", *fault)


def test_false_when_it_is_malformed_whether_the_service_answers_or_not():
    broken = changed(FEED, window=0)
    assert ready(resource=broken)[:2] == ("False", "Invalid")
    assert ready(resource=broken).message.startswith("spec.window: 0 is below 1; give 1 to 10000")
    answered = ready(view(result(broken, ("spec.window", "is 0")), peers=[peer(FEED)]), resource=broken)
    assert answered.message.endswith("what was applied before stays in force")


def test_unknown_while_the_newest_generation_is_on_its_way():
    assert ready(view(result(FEED)), resource=changed(FEED))[:2] == ("Unknown", "Applying")


@pytest.mark.parametrize("views", [(), (SILENT,), (view(degradations=[NOT_CONFIGURED]),)])
def test_unknown_while_a_new_one_waits_for_its_service(views):
    verdict = ready(*views)
    assert verdict[:2] == ("Unknown", "ServiceNotReady")
    assert "waits for the Outfeed main" in verdict.message


@pytest.mark.parametrize("before", [view(result(FEED)), view(result(FEED, WRONG))], ids=["applied", "refused"])
def test_what_the_service_said_stays_while_it_is_away(before):
    told = after(FEED, peerfeed_status(FEED, [before], NOW))
    assert ready(SILENT, resource=told) == ready(before)


def test_what_it_said_of_an_older_generation_does_not():
    told = after(FEED, peerfeed_status(FEED, [view(result(FEED))], NOW))
    assert ready(SILENT, resource=changed(told))[:2] == ("Unknown", "ServiceNotReady")


def test_what_the_operator_said_itself_does_not():
    told = after(FEED, peerfeed_status(FEED, [], NOW, Fault("ParentMissing", "there is no Outfeed main")))
    assert ready(SILENT, resource=told)[:2] == ("Unknown", "ServiceNotReady")
