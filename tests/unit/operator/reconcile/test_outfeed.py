from base64 import b64encode

import pytest

from forebay.runtime.document import decode
from forebay_operator.errors import ConflictError, EndingError, ForbiddenError, PendingError, ReconcileError
from forebay_operator.kube.kinds import (
    OUTFEED,
    PEERFEED,
    POD,
    SECRET,
    SERVICE,
    SERVICE_MONITOR,
    SPILL,
    STATEFUL_SET,
)
from forebay_operator.permissions import PERMISSIONS
from forebay_operator.queue import Depth
from forebay_operator.reconcile.secretstore import octets_of
from operatorobjects import settings
from operatorworld import HUB, OperatorWorld, outfeed, peerfeed, resource, spill


@pytest.fixture
def world():
    return OperatorWorld()


@pytest.fixture
async def running(world):
    """An Outfeed with two peers that runs."""
    world.apply(spill(), outfeed(), peerfeed("east"), peerfeed("west"))
    await world.settle()
    return world


def stored(world):
    """The revision in the Secret, and the names of the Peerfeeds that its document has."""
    data = octets_of(world.kube.get(SECRET, "hub-outfeed-config"))
    manifests = decode(1, data["document"]).manifests
    return int(data["revision"]), {each["metadata"]["name"] for each in manifests if each["kind"] == "Peerfeed"}


def secret(name, **data):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "news"},
        "data": dict.fromkeys(data, "cGFzcw=="),
    }


def auth(name):
    return {"username": "us", "passwordFrom": {"secretRef": {"name": name, "key": "password"}}}


async def test_all_gets_ready(running):
    assert running.ready(OUTFEED, "hub")[0] == "True"
    assert running.ready(PEERFEED, "east")[0] == "True"
    assert running.service().peers() == {"east", "west"}


async def test_only_rights_of_the_table_are_used(running):
    granted = {(verb, right.resource) for right in PERMISSIONS for verb in right.verbs}
    assert set(running.kube.requests) <= granted


async def test_nothing_is_written_when_nothing_has_changed(running):
    await running.verify()
    running.kube.writes.clear()
    await running.verify()
    for key in running.known:
        await running.reconciler.reconcile(key, Depth.OBSERVE)
    assert running.kube.writes == []


async def test_a_restarted_operator_writes_nothing(running):
    await running.verify()
    running.kube.writes.clear()
    running.restart()
    await running.settle()
    assert running.kube.writes == []


async def test_an_edit_gets_a_higher_revision_and_is_sent(running):
    before, _ = stored(running)
    running.apply(peerfeed("east", window=7))
    await running.settle()
    after, _ = stored(running)
    assert after == before + 1
    assert running.service().document.revision == after


async def test_many_edits_are_one_revision(running):
    before, _ = stored(running)
    running.apply(*(peerfeed(f"peer-{number}") for number in range(50)))
    await running.settle()
    assert stored(running)[0] == before + 1
    assert len(running.service().peers()) == 52


async def test_many_edits_take_few_requests(running):
    running.kube.requests.clear()
    running.apply(*(peerfeed(f"peer-{number}") for number in range(50)))
    await running.settle()
    assert sum(running.kube.requests.values()) <= 4 * 50


async def test_a_deleted_peerfeed_leaves_the_configuration(running):
    running.delete(PEERFEED, "east")
    await running.settle()
    assert stored(running)[1] == {"west"}
    assert running.service().peers() == {"west"}


async def test_a_peerfeed_that_is_being_deleted_stays_until_it_is_gone(running):
    body = running.kube.get(PEERFEED, "east")
    body["metadata"]["deletionTimestamp"] = "2026-11-27T12:00:00Z"
    running.told(body)
    await running.settle()
    assert running.service().peers() == {"east", "west"}


async def test_a_peerfeed_that_moves_to_another_outfeed_leaves_this_one(running):
    running.apply({**peerfeed("east"), "spec": {"outfeedRef": {"name": "other"}, "hosts": ["peer.example"]}})
    await running.settle()
    assert running.service().peers() == {"west"}
    assert running.ready(PEERFEED, "east") == ("False", "ParentMissing")


async def test_a_pod_with_an_older_configuration_gets_the_stored_one(running):
    revision, _ = stored(running)
    running.pods.services.clear()
    await running.verify()
    assert running.service().applied == [revision]


async def test_a_pod_with_a_newer_configuration_raises_the_revision(running):
    document = running.service().document
    running.service().document = type(document)(99, document.manifests, document.secrets)
    await running.verify()
    assert stored(running)[0] == 100
    assert running.service().document.revision == 100


async def test_a_pod_is_seen_to_have_another_revision_by_a_look_at_it(running):
    running.pods.services.clear()
    running.world.pods.service("hub-outfeed-0")
    scene = running.reconciler.outfeeds.scenes[HUB]
    scene.clients = [running.service()]
    running.queue.put(HUB, Depth.OBSERVE)
    await running.settle()
    assert running.service().peers() == {"east", "west"}


async def test_killed_between_the_secret_and_the_pods_the_next_pass_goes_on(running):
    running.service().reachable = False
    running.apply(peerfeed("third"))
    await running.settle()
    assert running.service().peers() == {"east", "west"}
    running.restart()
    running.service().reachable = True
    await running.settle()
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_configuration_that_somebody_else_wrote_meanwhile_is_read_again(running):
    running.apply(peerfeed("third"))
    running.kube.fail("patch", SECRET)
    with pytest.raises(ConflictError):
        await running.settle()
    await running.settle()
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_failed_list_writes_no_configuration(running):
    before = stored(running)
    running.kube.fail("list", PEERFEED, ForbiddenError, 403)
    running.apply(outfeed(storage={"size": "30GiB"}))
    with pytest.raises(ForbiddenError):
        await running.settle()
    assert stored(running) == before


async def test_a_refused_peerfeed_tells_why_and_the_others_go_on(running):
    running.service().refused["east"] = "is wrong; give another"
    running.apply(peerfeed("east", window=7))
    await running.settle()
    assert running.ready(PEERFEED, "east")[0] == "False"
    assert running.ready(PEERFEED, "west")[0] == "True"


async def test_without_its_spill_it_says_so(world):
    world.apply(outfeed(), peerfeed("east"))
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "SpillMissing")
    assert world.ready(PEERFEED, "east") == ("False", "SpillMissing")


async def test_a_spill_that_comes_late_is_used(world):
    world.apply(outfeed(), peerfeed("east"))
    await world.settle()
    world.apply(spill())
    await world.settle()
    assert world.ready(OUTFEED, "hub")[0] == "True"


async def test_while_its_spill_is_missing_its_pods_run_on(running):
    running.delete(SPILL, "main")
    await running.settle()
    assert running.ready(OUTFEED, "hub") == ("False", "SpillMissing")
    assert running.ready(PEERFEED, "east")[0] == "True"
    assert running.service().peers() == {"east", "west"}


async def test_the_spill_knows_the_service_before_it_runs(world):
    world.apply(spill(), outfeed())
    await world.settle()
    uid = world.kube.get(OUTFEED, "hub")["metadata"]["uid"]
    recorded = next(n for n, write in enumerate(world.kube.writes) if write == "patch Spill/news/main")
    started = next(n for n, write in enumerate(world.kube.writes) if write == "patch StatefulSet/news/hub-outfeed")
    assert recorded < started
    assert world.kube.get(SPILL, "main")["status"]["services"] == [{"kind": "Outfeed", "name": "hub", "uid": uid}]


async def test_a_peerfeed_without_its_secret_is_told_so_and_stays_in_the_configuration(running):
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    assert running.ready(PEERFEED, "east") == ("False", "SecretMissing")
    assert running.service().peers() == {"east", "west"}


async def test_a_secret_that_comes_late_is_used(running):
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    running.kube.put(secret("login", password=""))
    await running.verify()
    assert running.ready(PEERFEED, "east")[0] == "True"
    assert "news/login" in running.service().document.secrets


async def test_a_spill_without_its_secret_holds_the_outfeed_up(world):
    source = {"secretRef": {"name": "redis", "key": "url"}}
    world.apply(spill(urlFrom=source), outfeed())
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "SecretMissing")
    assert ("StatefulSet", "news", "hub-outfeed") not in world.kube.objects


async def test_an_outfeed_of_another_namespace_is_told_what_to_do():
    world = OperatorWorld(namespaces=["other"], clusterWide=True)
    world.apply(spill(), outfeed(), peerfeed("east"))
    await world.settle()
    for kind, name in ((OUTFEED, "hub"), (PEERFEED, "east"), (SPILL, "main")):
        assert world.ready(kind, name) == ("False", "NamespaceNotAllowed")
    assert not [write for write in world.kube.writes if "StatefulSet" in write]


async def test_a_foreign_object_of_a_name_that_is_needed_stays_untouched(world):
    foreign = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hub-outfeed", "namespace": "news"}}
    world.kube.put({**foreign, "spec": {"ports": []}})
    world.apply(spill(), outfeed())
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "NameTaken")
    assert world.kube.get(SERVICE, "hub-outfeed")["spec"] == {"ports": []}


async def test_an_object_that_was_deleted_is_made_again(running):
    running.delete(SERVICE, "hub-outfeed")
    await running.settle()
    assert running.kube.get(SERVICE, "hub-outfeed")


async def test_an_object_that_was_edited_is_put_back(running):
    body = running.kube.get(SERVICE, "hub-outfeed")
    wanted = body["spec"]["ports"]
    running.kube.put({**body, "spec": {**body["spec"], "ports": []}})
    await running.settle()
    assert running.kube.get(SERVICE, "hub-outfeed")["spec"]["ports"] == wanted


async def test_an_object_that_no_watch_tells_of_is_put_back_when_it_is_verified(running):
    body = running.kube.get(SECRET, "hub-outfeed-tls")
    wanted = body["data"]["tls.key"]
    running.kube.put({**body, "data": {**body["data"], "tls.key": "AA=="}})
    await running.verify()
    assert running.kube.get(SECRET, "hub-outfeed-tls")["data"]["tls.key"] not in ("AA==", wanted)


async def test_a_paused_outfeed_is_left_alone(running):
    running.annotate(OUTFEED, "hub", **{"forebay.dev/paused": "true"})
    await running.settle()
    running.kube.writes.clear()
    running.apply(peerfeed("third"))
    running.delete(SERVICE, "hub-outfeed")
    await running.settle()
    assert running.condition(OUTFEED, "hub", "Paused")[0] == "True"
    assert running.service().peers() == {"east", "west"}
    assert [write for write in running.kube.writes if "by hand" not in write] == []


async def test_a_pause_that_ends_catches_up(running):
    running.annotate(OUTFEED, "hub", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("third"))
    await running.settle()
    body = running.kube.get(OUTFEED, "hub")
    del body["metadata"]["annotations"]
    running.told(body)
    await running.settle()
    assert running.condition(OUTFEED, "hub", "Paused") == ("", "")
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_paused_peerfeed_stays_as_it_is(running):
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("east", window=7))
    await running.settle()
    manifest = next(each for each in running.service().document.manifests if each["metadata"]["name"] == "east")
    assert "window" not in manifest["spec"]
    assert running.condition(PEERFEED, "east", "Paused")[0] == "True"


async def test_an_outfeed_that_is_being_deleted_is_left_alone(running):
    await running.verify()
    body = running.kube.get(OUTFEED, "hub")
    body["metadata"]["deletionTimestamp"] = "2026-11-27T12:00:00Z"
    running.kube.writes.clear()
    running.told(body)
    await running.settle()
    assert running.kube.writes == []


async def test_peerfeeds_of_a_deleted_outfeed_have_no_parent(running):
    running.delete(OUTFEED, "hub")
    await running.settle()
    assert running.ready(PEERFEED, "west") == ("False", "ParentMissing")
    assert running.pods.trusted == {}


async def test_a_changed_target_reaches_the_outfeed_that_feeds_it(running):
    running.apply(outfeed("far", listeners={"nntp": {"port": 1119}}))
    running.apply(resource("Peerfeed", "far", outfeedRef={"name": "hub"}, target={"name": "far"}))
    await running.settle()
    running.apply(outfeed("far", listeners={"nntp": {"port": 2119}}))
    await running.settle()
    target = next(each for each in running.service().document.manifests if each["metadata"]["name"] == "far")
    assert target["spec"]["listeners"]["nntp"]["port"] == 2119


async def test_a_wrong_right_is_told_and_tried_again(running):
    running.kube.fail("patch", STATEFUL_SET, ForbiddenError, 403)
    running.apply(outfeed(listeners={"grpc": {"port": 7777}}))
    with pytest.raises(ForbiddenError):
        await running.settle()
    assert running.ready(OUTFEED, "hub") == ("False", "ClusterRefused")
    await running.settle()
    assert running.ready(OUTFEED, "hub")[0] == "True"


async def test_an_event_is_posted_once_for_a_transition(running):
    await running.verify()
    assert [name for name, reason in running.kube.events()].count("east") == 1


async def test_clients_get_certificates(running):
    running.apply(outfeed(clients=["reader"]))
    await running.settle()
    assert running.kube.get(SECRET, "hub-outfeed-client-kubectl")["data"]["tls.crt"]
    assert running.kube.get(SECRET, "hub-outfeed-client-reader")["data"]["tls.crt"]


async def test_another_server_of_the_spill_rolls_the_pods(running):
    def annotations():
        return running.kube.get(STATEFUL_SET, "hub-outfeed")["spec"]["template"]["metadata"]["annotations"]

    before = annotations()
    running.apply(spill(url="redis://other.example:6379/0"))
    await running.settle()
    assert annotations() != before


async def test_a_pod_without_an_address_is_not_called(running):
    running.kube.get(POD, "hub-outfeed-0")["status"]["podIP"] = ""
    await running.verify()
    assert running.reconciler.outfeeds.scenes[HUB].clients == []


async def test_what_another_operator_stored_during_a_pass_is_not_overwritten(running):
    """As when this one stood still after it had read the peers."""
    find = running.kube.find
    secret = running.kube.get(SECRET, "hub-outfeed-config")

    async def stand_still(kind, namespace, name):
        found = await find(kind, namespace, name)
        if kind is OUTFEED:
            running.kube.find = find
            running.kube.put({**secret, "data": {**secret["data"], "revision": "OTk="}})
        return found

    running.kube.find = stand_still
    running.apply(peerfeed("third"))
    with pytest.raises(ConflictError):
        await running.settle()
    assert stored(running)[0] == 99
    await running.settle()
    assert stored(running) == (100, {"east", "west", "third"})


@pytest.mark.parametrize("content", ["", "0", "x", "9" * 40, "-1"], ids=repr)
async def test_a_revision_that_is_none_is_made_one_though_no_pod_tells_any(running, content):
    """Or a pod would start with nothing, and never get anything."""
    body = running.kube.get(SECRET, "hub-outfeed-config")
    body["data"]["revision"] = b64encode(content.encode()).decode()
    running.pods.services.clear()
    await running.verify()
    assert stored(running)[0] > 0
    assert running.service().peers() == {"east", "west"}


async def test_a_paused_peerfeed_stays_also_when_the_configuration_is_lost(running):
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    await running.settle()
    running.kube.remove(SECRET.kind, "news", "hub-outfeed-config")
    await running.verify()
    assert stored(running)[1] == {"east", "west"}
    assert running.service().peers() == {"east", "west"}


async def test_a_peerfeed_that_was_paused_from_the_start_is_not_begun(running):
    third = peerfeed("third")
    third["metadata"]["annotations"] = {"forebay.dev/paused": "true"}
    running.apply(third)
    await running.settle()
    await running.verify()
    assert running.service().peers() == {"east", "west"}


async def test_the_password_of_a_paused_peerfeed_is_still_the_one_that_it_refers_to(running):
    running.kube.put(secret("login", password=""))
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("east", auth=auth("other")))
    await running.settle()
    assert "news/login" in running.service().document.secrets
    assert running.condition(PEERFEED, "east", "Ready")[1] != "SecretMissing"


async def test_a_paused_spill_stays_as_it_is_for_its_services(running):
    running.annotate(SPILL, "main", **{"forebay.dev/paused": "true"})
    running.apply(spill(url="redis://other.example:6379/0"))
    await running.settle()
    manifest = next(each for each in running.service().document.manifests if each["kind"] == "Spill")
    assert manifest["spec"]["url"] == "redis://redis.example:6379/0"


async def test_a_peerfeed_that_does_not_tell_whose_it_is_keeps_any_configuration_from_being_written(running):
    """As when its definition was replaced by one of another version: the peers may be there all the same."""
    before = stored(running)
    body = running.kube.get(PEERFEED, "east")
    del body["spec"]["outfeedRef"]
    running.told(body)
    running.apply(outfeed(storage={"size": "30GiB"}))
    with pytest.raises(ReconcileError, match="Peerfeed east has no spec"):
        await running.settle()
    assert stored(running) == before


async def test_a_field_of_a_newer_version_holds_nothing_up(running):
    running.apply(outfeed(ofANewerVersion=True))
    running.apply(peerfeed("third"))
    await running.settle()
    assert running.ready(OUTFEED, "hub")[0] == "True"
    assert running.service().peers() == {"east", "west", "third"}


async def test_made_anew_before_what_the_former_had_is_gone_it_waits_without_a_word(running):
    before = running.kube.get(OUTFEED, "hub")
    running.kube.remove(OUTFEED.kind, "news", "hub")
    running.apply(outfeed())
    for _ in range(2):
        with pytest.raises(PendingError):
            await running.settle()
    assert "NameTaken" not in {reason for _, reason in running.kube.events()}
    running.collect(before["metadata"]["uid"])
    await running.settle()
    assert running.ready(OUTFEED, "hub")[0] == "True"
    assert running.service().peers() == {"east", "west"}


@pytest.mark.parametrize(
    ("name", "uid"), [("debug-hub-outfeed-0", None), ("hub-outfeed-x", None), ("hub-outfeed-0", "of a namesake")]
)
async def test_a_pod_that_only_looks_like_one_of_ours_is_not_called(running, name, uid):
    pod = running.kube.get(POD, "hub-outfeed-0")
    labels = pod["metadata"]["labels"] | ({"forebay.dev/uid": uid} if uid else {})
    running.kube.remove(POD.kind, "news", "hub-outfeed-0")
    running.kube.put({**pod, "metadata": {**pod["metadata"], "name": name, "labels": labels}})
    running.run_pods = lambda: None
    await running.verify()
    assert running.reconciler.outfeeds.scenes[HUB].clients == []


async def test_in_a_namespace_that_is_being_deleted_nothing_is_said_or_tried_again(running):
    await running.verify()
    running.kube.writes.clear()
    running.kube.remove(SECRET.kind, "news", "hub-outfeed-client-kubectl")
    running.kube.fail("create", SECRET, EndingError, 403)
    await running.verify()
    assert running.outcomes[HUB] == "ok"
    assert [write for write in running.kube.writes if "Event" in write or "Outfeed" in write] == []


async def test_of_what_is_gone_nothing_is_kept(running):
    running.kube.put(secret("login", password=""))
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    for kind, name in ((PEERFEED, "east"), (PEERFEED, "west"), (OUTFEED, "hub"), (SPILL, "main")):
        running.delete(kind, name)
    await running.settle()
    world = running.world
    assert world.known == set()
    assert running.reconciler.outfeeds.scenes == running.reconciler.spills.scenes == {}
    assert world.objects._applied == world.secrets._texts == world.dependents._needs == {}


async def test_a_service_monitor_goes_when_none_is_wanted(world):
    world.kube.served.add(SERVICE_MONITOR.kind)
    world.world.monitoring = True
    world.apply(spill(), outfeed())
    await world.settle()
    assert world.kube.get(SERVICE_MONITOR, "hub-outfeed")
    world.settings = settings(namespaces=["news"], monitoring={"serviceMonitor": False})
    world.restart()
    world.world.monitoring = True
    await world.settle()
    await world.verify()
    assert (SERVICE_MONITOR.kind, "news", "hub-outfeed") not in world.kube.objects
