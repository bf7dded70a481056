"""ConduitNodes, to which nothing belongs. What every kind of services has is tried with Outfeeds."""

import pytest

from forebay_operator.kube.kinds import CONDUIT_NODE, JOB, POD, SECRET, SERVICE, SPILL, STATEFUL_SET
from forebay_operator.permissions import PERMISSIONS
from forebay_operator.queue import Depth
from operatorworld import PRESS, conduitnode, secret, spill, stored

CONFIG = "press-conduitnode-config"
ON_MAIN = {"spillRef": {"name": "main"}}
KEYED = {"authentication": {"keys": [{"id": 1, "keyFrom": {"secretRef": {"name": "keys", "key": "key"}}}]}}


@pytest.fixture
async def meeting(world):
    """A ConduitNode that runs, without a Spill."""
    world.apply(conduitnode())
    await world.settle()
    return world


@pytest.fixture
async def spilling(world):
    """One that spills."""
    world.apply(spill(), conduitnode(**ON_MAIN))
    await world.settle()
    return world


def revision(world):
    return stored(world, CONFIG, "ConduitNode")[0]


def service(world):
    return world.service("press", "conduitnode")


def template(world):
    return world.kube.get(STATEFUL_SET, "press-conduitnode")["spec"]["template"]


def users(world):
    return [(each["kind"], each["name"]) for each in world.kube.get(SPILL, "main")["status"]["services"]]


def services(world):
    return {name for kind, _, name in world.kube.objects if kind == SERVICE.kind}


async def test_it_gets_ready_without_a_spill(meeting):
    assert meeting.ready(CONDUIT_NODE, "press") == ("True", "Applied")
    assert [each["kind"] for each in service(meeting).document.manifests] == ["ConduitNode"]


async def test_it_gets_ready_with_a_spill_which_knows_of_it(spilling):
    assert spilling.ready(CONDUIT_NODE, "press") == ("True", "Applied")
    assert [each["kind"] for each in service(spilling).document.manifests] == ["Spill", "ConduitNode"]
    assert users(spilling) == [("ConduitNode", "press")]
    await spilling.verify()
    assert spilling.ready(SPILL, "main") == ("True", "Connected")


async def test_only_rights_of_the_table_are_used(spilling):
    spilling.apply(secret("keys", key="x"), conduitnode(**ON_MAIN, **KEYED, replicas=3))
    await spilling.settle()
    spilling.apply(conduitnode(**ON_MAIN, replicas=2))
    await spilling.verify()
    granted = {(verb, right.resource) for right in PERMISSIONS for verb in right.verbs}
    assert set(spilling.kube.requests) <= granted


async def test_nothing_is_written_when_nothing_has_changed(spilling):
    await spilling.verify()
    spilling.kube.writes.clear()
    await spilling.verify()
    await spilling.reconciler.reconcile(PRESS, Depth.OBSERVE)
    assert spilling.kube.writes == []


async def test_another_peer_is_sent_and_restarts_nothing(meeting):
    before, made = revision(meeting), template(meeting)
    meeting.apply(conduitnode(peers=["udp/lab.example:7448"]))
    await meeting.settle()
    document = service(meeting).document
    assert document.revision == revision(meeting) == before + 1
    assert document.manifests[0]["spec"]["peers"] == ["udp/lab.example:7448"]
    assert template(meeting) == made


async def test_another_lease_restarts_the_pods(meeting):
    made = template(meeting)
    meeting.apply(conduitnode(lease="10s"))
    await meeting.settle()
    assert service(meeting).document.manifests[0]["spec"]["lease"] == "10s"
    assert template(meeting)["metadata"]["annotations"] != made["metadata"]["annotations"]


async def test_until_its_pods_are_replaced_another_lease_is_pending_and_not_refused(meeting):
    service(meeting).refused["press"] = "stays as it was until the service is started again: restart it"
    meeting.apply(conduitnode(lease="10s"))
    for depth in (Depth.RECONCILE, Depth.OBSERVE):
        await meeting.reconciler.reconcile(PRESS, depth)
        assert meeting.ready(CONDUIT_NODE, "press") == ("Unknown", "Restarting")
        assert meeting.condition(CONDUIT_NODE, "press", "Progressing") == ("True", "Rolling")
    meeting.delete(POD, "press-conduitnode-0")
    meeting.queue.put(PRESS)
    await meeting.settle()
    assert meeting.ready(CONDUIT_NODE, "press") == ("True", "Applied")
    assert meeting.condition(CONDUIT_NODE, "press", "Progressing") == ("False", "UpToDate")


async def test_what_a_pod_refuses_that_has_all_from_its_start_is_refused(meeting):
    service(meeting).refused["press"] = "give another port, or end who has it"
    meeting.apply(conduitnode(peers=["udp/lab.example:7448"]))
    await meeting.settle()
    assert meeting.ready(CONDUIT_NODE, "press") == ("False", "Refused")


async def test_services_for_peers_outside_come_and_go_with_the_pods(meeting):
    own = {"press-conduitnode", "press-conduitnode-pods"}
    meeting.apply(conduitnode(replicas=2))
    await meeting.settle()
    assert services(meeting) == own | {"press-conduit-0", "press-conduit-1"}
    meeting.apply(conduitnode(replicas=1))
    await meeting.verify()
    assert services(meeting) == own | {"press-conduit-0"}
    meeting.apply(conduitnode(hostNetwork=True))
    await meeting.verify()
    assert services(meeting) == own


async def test_its_keys_come_with_its_configuration(world):
    world.apply(secret("keys", key="x"), conduitnode(**KEYED))
    await world.settle()
    assert service(world).document.secrets["news/keys"]["key"].reveal() == "pass"


async def test_without_its_keys_it_runs_all_the_same(world):
    world.apply(conduitnode(**KEYED))
    await world.settle()
    assert [each["kind"] for each in service(world).document.manifests] == ["ConduitNode"]


async def test_it_waits_for_the_spill_that_it_names(world):
    world.apply(conduitnode(**ON_MAIN))
    await world.settle()
    assert world.ready(CONDUIT_NODE, "press") == ("False", "SpillMissing")
    world.apply(spill())
    await world.settle()
    assert world.ready(CONDUIT_NODE, "press") == ("True", "Applied")


async def test_what_a_deleted_one_left_on_its_spill_is_purged(spilling):
    spilling.delete(CONDUIT_NODE, "press")
    await spilling.settle()
    [job] = [body for (kind, *_), body in spilling.kube.objects.items() if kind == JOB.kind]
    uid = spilling.kube.get(SPILL, "main")["status"]["services"][0]["uid"]
    command = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert command[:5] == ["forebay", "spill", "purge", "conduitnode", uid]
    job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    spilling.told(job)
    await spilling.settle()
    assert users(spilling) == []


async def test_a_deleted_one_is_forgotten_with_all_that_was_made_for_it(meeting):
    meeting.delete(CONDUIT_NODE, "press")
    await meeting.settle()
    assert [each for each in meeting.kube.objects.values() if each["metadata"].get("ownerReferences")] == []
    assert meeting.reconciler.conduitnodes.scenes == {}


async def test_a_malformed_one_says_so_and_what_was_stays(meeting):
    before = revision(meeting)
    meeting.apply(conduitnode(conduits=[]))
    await meeting.settle()
    assert meeting.ready(CONDUIT_NODE, "press") == ("False", "Invalid")
    assert revision(meeting) == before


async def test_certificates_are_made_for_its_pods_and_its_clients(meeting):
    meeting.apply(conduitnode(clients=["robot"]))
    await meeting.settle()
    for name in ("press-conduitnode-tls", "press-conduitnode-client-kubectl", "press-conduitnode-client-robot"):
        assert meeting.kube.get(SECRET, name)["type"] == "kubernetes.io/tls"
