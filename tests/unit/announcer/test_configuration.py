"""What one announcer reads out of a configuration, and what it says of each resource."""

import pytest

from forebay.announcer.configuration import Surroundings, select
from forebay.api.v1alpha1 import Durability
from forebay.runtime.document import ConfigDocument
from forebay.runtime.secret import Secret
from manifests import NAMESPACE, announcer, forwarder, manifest, spill

FROM_SECRET = {"urlFrom": {"secretRef": {"name": "redis", "key": "url"}}}
WITH_SPILL = {"spillRef": {"name": "main"}}


def selected(*manifests, secrets=None, managed=lambda spill: f"unix:///{spill.metadata.name}"):
    document = ConfigDocument(1, manifests, secrets or {})
    return select(document, (NAMESPACE, "main"), Surroundings(managed_url=managed))


def faults(results):
    """Violations by kind and name."""
    return {
        (result.kind, result.name): [tuple(violation) for violation in result.violations]
        for result in results
        if result.violations
    }


def names(specs):
    return [spec.name for spec in specs]


def test_a_sound_configuration_has_a_result_without_violation_for_each_resource():
    selection = selected(spill(), announcer(**WITH_SPILL), forwarder("a"), forwarder("b", pause=True))
    assert selection.present
    assert selection.announcer.metadata.name == "main"
    assert (names(selection.forwarders), names(selection.paused)) == (["a"], ["b"])
    assert (selection.url, selection.durability) == ("redis://127.0.0.1:6379/0", Durability.EVERYSEC)
    assert [(each.kind, each.name) for each in selection.results] == [
        ("Spill", "main"), ("Announcer", "main"), ("Forwarder", "a"), ("Forwarder", "b"),
    ]  # fmt: skip
    assert all(result.applied for result in selection.results)


def test_the_order_of_resources_does_not_matter():
    selection = selected(forwarder("a"), announcer(**WITH_SPILL), spill())
    assert (names(selection.forwarders), selection.url) == (["a"], "redis://127.0.0.1:6379/0")


def test_without_a_spill_there_is_no_redis():
    selection = selected(announcer())
    assert (selection.url, selection.durability) == ("", None)
    assert not faults(selection.results)


def test_without_our_announcer_there_is_nothing_to_apply():
    selection = selected(announcer("other"), forwarder(announcerRef={"name": "other"}))
    assert (selection.present, selection.announcer, selection.forwarders) == (False, None, [])


def test_forwarders_of_others_are_left_alone():
    elsewhere = manifest("Announcer", "main", {}, namespace="elsewhere")
    theirs = manifest("Forwarder", "b", forwarder()["spec"], namespace="elsewhere")
    other = forwarder("a", announcerRef={"name": "other"})
    selection = selected(announcer(), announcer("other"), elsewhere, other, theirs)
    assert selection.forwarders == []
    assert not faults(selection.results)


def test_a_faulty_announcer_is_none():
    selection = selected(announcer(announces={"interval": "soon"}))
    assert (selection.present, selection.announcer) == (True, None)
    ((field, _),) = faults(selection.results)["Announcer", "main"]
    assert field == "spec.announces.interval"


def test_a_faulty_forwarder_leaves_the_others_alone_and_is_known_as_such():
    selection = selected(announcer(), forwarder("bad", timeout="0s"), forwarder("good"))
    assert names(selection.forwarders) == ["good"]
    assert selection.faulty == {"bad"}
    ((field, _),) = faults(selection.results)["Forwarder", "bad"]
    assert field == "spec.timeout"


def test_while_nothing_runs_our_forwarders_are_not_in_effect():
    selection = selected(
        announcer(), announcer("other"), forwarder("a"), forwarder("b", announcerRef={"name": "other"})
    )
    problem = "the Announcer does not run yet: see what is wrong with it"
    assert faults(selection.not_running()) == {("Forwarder", "a"): [("spec.announcerRef.name", problem)]}


def test_the_url_of_its_spill_comes_from_a_secret():
    secrets = {f"{NAMESPACE}/redis": {"url": Secret("redis://:hush@r.example:6379/0")}}
    selection = selected(spill(**FROM_SECRET), announcer(**WITH_SPILL), secrets=secrets)
    assert selection.url == "redis://:hush@r.example:6379/0"
    assert "hush" not in repr(selection)


def test_a_spill_that_cannot_be_used_is_a_fault_of_its_own():
    selection = selected(spill(**FROM_SECRET), announcer(**WITH_SPILL), forwarder("a"))
    assert (selection.url, names(selection.forwarders)) == ("", ["a"])
    problem = "there is no key url in a Secret redis: add it"
    assert faults(selection.results) == {("Spill", "main"): [("spec.urlFrom.secretRef", problem)]}


@pytest.mark.parametrize("given", [{}, {"spillRef": {"name": "other"}}], ids=["none is named", "another is"])
def test_a_spill_that_our_announcer_does_not_name_is_left_alone(given):
    other = manifest("Spill", "other", {"url": "redis://other.example"})
    selection = selected(spill(**FROM_SECRET), other, announcer(**given))
    assert selection.url == ("redis://other.example" if given else "")
    assert not faults(selection.results)
