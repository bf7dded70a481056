"""Announcers with their forwarders. What every kind of services has is tried with Outfeeds."""

import pytest

from forebay_operator.kube.kinds import ANNOUNCER, FORWARDER, JOB, SERVICE, SPILL, STATEFUL_SET
from forebay_operator.permissions import PERMISSIONS
from forebay_operator.queue import Depth, Key
from operatorworld import SWARM, announcer, forwarder, outfeed, resource, spill, stored

CONFIG, CLIENTS = "swarm-announcer-config", "swarm-announce"
ON_MAIN = {"spillRef": {"name": "main"}}


@pytest.fixture
async def tracking(world):
    """An Announcer with two forwarders that runs, without a Spill."""
    world.apply(announcer(), forwarder("east"), forwarder("west"))
    await world.settle()
    return world


@pytest.fixture
async def lasting(world):
    """One that keeps its jobs on a Spill."""
    world.apply(spill(), announcer(**ON_MAIN), forwarder("east"))
    await world.settle()
    return world


def revision(world):
    return stored(world, CONFIG, "Forwarder")[0]


def service(world):
    return world.service("swarm", "announcer")


def template(world):
    return world.kube.get(STATEFUL_SET, "swarm-announcer")["spec"]["template"]


def users(world):
    return [(each["kind"], each["name"]) for each in world.kube.get(SPILL, "main")["status"]["services"]]


async def test_all_gets_ready_without_a_spill(tracking):
    assert tracking.ready(ANNOUNCER, "swarm") == ("True", "Applied")
    assert tracking.ready(FORWARDER, "east") == ("True", "Applied")
    assert [each["kind"] for each in service(tracking).document.manifests] == ["Announcer", "Forwarder", "Forwarder"]
    assert tracking.kube.get(SERVICE, CLIENTS)["spec"]["externalTrafficPolicy"] == "Local"


async def test_all_gets_ready_with_a_spill_which_knows_of_it(lasting):
    assert lasting.ready(ANNOUNCER, "swarm") == ("True", "Applied")
    assert [each["kind"] for each in service(lasting).document.manifests] == ["Spill", "Announcer", "Forwarder"]
    assert users(lasting) == [("Announcer", "swarm")]
    await lasting.verify()
    assert lasting.ready(SPILL, "main") == ("True", "Connected")


async def test_only_rights_of_the_table_are_used(lasting):
    lasting.apply(announcer(**ON_MAIN, listeners={"http": {"enabled": False}, "udp": {"enabled": False}}))
    await lasting.verify()
    granted = {(verb, right.resource) for right in PERMISSIONS for verb in right.verbs}
    assert ("delete", "services") in lasting.kube.requests
    assert set(lasting.kube.requests) <= granted


async def test_nothing_is_written_when_nothing_has_changed(lasting):
    await lasting.verify()
    lasting.kube.writes.clear()
    await lasting.verify()
    await lasting.reconciler.reconcile(SWARM, Depth.OBSERVE)
    assert lasting.kube.writes == []


async def test_an_edit_of_a_forwarder_is_sent_and_restarts_nothing(tracking):
    before, made = revision(tracking), template(tracking)
    tracking.apply(forwarder("east", pause=True))
    await tracking.settle()
    document = service(tracking).document
    assert document.revision == revision(tracking) == before + 1
    assert next(each for each in document.manifests if each["metadata"]["name"] == "east")["spec"]["pause"] is True
    assert template(tracking) == made


async def test_a_forwarder_of_another_announcer_is_not_of_this_one(tracking):
    tracking.apply(resource("Forwarder", "lost", announcerRef={"name": "other"}, url="udp://a:1"))
    await tracking.settle()
    assert service(tracking).children("Forwarder") == {"east", "west"}
    assert tracking.ready(FORWARDER, "lost") == ("False", "ParentMissing")
    message = tracking.kube.get(FORWARDER, "lost")["status"]["conditions"][0]["message"]
    assert message == "there is no Announcer other; apply one, or correct spec.announcerRef.name"


async def test_a_deleted_forwarder_leaves_the_configuration(tracking):
    tracking.delete(FORWARDER, "east")
    await tracking.settle()
    assert service(tracking).children("Forwarder") == {"west"}


async def test_a_forwarder_that_was_paused_by_annotation_stays_as_it_is(tracking):
    tracking.annotate(FORWARDER, "east", **{"forebay.dev/paused": "true"})
    tracking.apply(forwarder("east", url="udp://other.example:1"))
    await tracking.settle()
    found = next(each for each in service(tracking).document.manifests if each["metadata"]["name"] == "east")
    assert found["spec"]["url"] == "udp://tracker.example:1"
    assert tracking.condition(FORWARDER, "east", "Paused")[0] == "True"


async def test_it_waits_for_the_spill_that_it_names(world):
    world.apply(announcer(**ON_MAIN), forwarder("east"))
    await world.settle()
    assert world.ready(ANNOUNCER, "swarm") == ("False", "SpillMissing")
    world.apply(spill())
    await world.settle()
    assert world.ready(ANNOUNCER, "swarm") == ("True", "Applied")


async def test_a_spill_that_is_named_later_rolls_the_pod_once(tracking):
    before = template(tracking)
    tracking.apply(spill(), announcer(**ON_MAIN))
    await tracking.settle()
    after = template(tracking)
    assert before["metadata"].get("annotations") is None
    assert set(after["metadata"]["annotations"]) == {"forebay.dev/spill"}
    assert users(tracking) == [("Announcer", "swarm")]
    await tracking.verify()
    assert template(tracking) == after


async def test_a_spill_without_its_secret_holds_it_up(world):
    world.apply(spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}}), announcer(**ON_MAIN))
    await world.settle()
    assert world.ready(ANNOUNCER, "swarm") == ("False", "SecretMissing")


async def test_what_a_deleted_one_left_on_its_spill_is_purged(lasting):
    lasting.delete(ANNOUNCER, "swarm")
    await lasting.settle()
    [job] = [body for (kind, *_), body in lasting.kube.objects.items() if kind == JOB.kind]
    uid = lasting.kube.get(SPILL, "main")["status"]["services"][0]["uid"]
    command = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert command[:5] == ["forebay", "spill", "purge", "announcer", uid]
    job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    lasting.told(job)
    await lasting.settle()
    assert users(lasting) == []


async def test_a_spill_serves_services_of_two_kinds(lasting):
    lasting.apply(outfeed())
    await lasting.settle()
    assert users(lasting) == [("Announcer", "swarm"), ("Outfeed", "hub")]
    lasting.delete(ANNOUNCER, "swarm")
    await lasting.settle()
    await lasting.verify()
    assert not [name for kind, _, name in lasting.kube.objects if kind == STATEFUL_SET.kind and "swarm" in name]
    assert lasting.ready(SPILL, "main") == ("True", "Connected")


async def test_a_deleted_one_is_forgotten_with_all_that_was_made_for_it(tracking):
    tracking.delete(ANNOUNCER, "swarm")
    await tracking.settle()
    assert [each for each in tracking.kube.objects.values() if each["metadata"].get("ownerReferences")] == []
    assert tracking.ready(FORWARDER, "east") == ("False", "ParentMissing")
    assert tracking.reconciler.announcers.scenes == {}


async def test_the_service_of_a_tracker_without_listeners_goes_and_comes_back(tracking):
    off = {"enabled": False}
    tracking.apply(announcer(listeners={"http": off, "udp": off}))
    await tracking.verify()
    assert (SERVICE.kind, "news", CLIENTS) not in tracking.kube.objects
    tracking.apply(announcer(listeners={"http": off, "udp": {"enabled": True}}))
    await tracking.settle()
    assert [each["name"] for each in tracking.kube.get(SERVICE, CLIENTS)["spec"]["ports"]] == ["udp"]


async def test_a_malformed_one_says_so_and_what_was_stays(tracking):
    before = revision(tracking)
    tracking.apply(announcer(memory="1MiB"))
    await tracking.settle()
    assert tracking.ready(ANNOUNCER, "swarm") == ("False", "Invalid")
    assert revision(tracking) == before


async def test_an_announcer_and_an_outfeed_of_one_name_are_two_services(world):
    world.apply(spill(), outfeed("swarm"), announcer(), forwarder("east"))
    await world.settle()
    assert service(world).children("Forwarder") == {"east"}
    assert set(world.reconciler.announcers.scenes) == {SWARM}
    assert set(world.reconciler.outfeeds.scenes) == {Key("Outfeed", "news", "swarm")}
