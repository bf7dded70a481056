import pytest

from forebay_operator.errors import ForbiddenError
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
from operatorobjects import settings
from operatorworld import HUB, OperatorWorld, auth, outfeed, peerfeed, resource, secret, spill, stored


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
