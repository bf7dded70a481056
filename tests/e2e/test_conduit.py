"""A ConduitNode on a real cluster: two pods, and a node outside of it that reaches them by their Services."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from conduitcalls import WITHIN, Attached, attached
from e2e.cluster import Body, Cluster, until
from e2e.conftest import NEWS, SCRATCH
from e2e.helperpod import helper_pod
from e2e.news import News, condition
from e2e.release import Release
from e2e.routercast import Running, running
from kubeaccess import KubectlError
from operatorsite import press

NAME, OUTSIDE = "press", "outside"
PODS = [f"{NAME}-conduitnode-{number}" for number in range(2)]
PROGRAM = Path(__file__).with_name("conduitprogram.py")
PORT = 7448
COUNT = 2000


@pytest.fixture(scope="module")
def scene(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A ConduitNode of two pods, Ready, and a pod in another namespace with nothing of Forebay's in it but Python."""
    near = News(cluster, SCRATCH, tmp_path_factory.mktemp("conduit"))
    far = News(cluster, NEWS, near.folder)
    near.apply(press(NAME, replicas=2, clients=["robot"]))
    far.apply(helper_pod(release, OUTSIDE))
    near.until_ready()
    until(lambda: far.pod_ready(OUTSIDE))
    yield near
    cluster("delete", "pod", OUTSIDE, "-n", NEWS, "--ignore-not-found", "--timeout=120s")
    cluster("delete", "conduitnodes", "--all", "-n", SCRATCH, "--timeout=120s")


@pytest.fixture(scope="module")
def outside(scene: News) -> Iterator[Running]:
    """The node in that pod."""
    far = News(scene.cluster, NEWS, scene.folder)
    places = ",".join(f"udp/{NAME}-conduit-{number}.{SCRATCH}.svc:{PORT}" for number in range(2))
    with running(far, OUTSIDE, places, COUNT, source=PROGRAM) as program:
        program.until("ready")
        yield program


@asynccontextmanager
async def clients(scene: News) -> AsyncIterator[list[Attached]]:
    """A client of each pod."""
    async with AsyncExitStack() as stack:
        made = []
        for pod in PODS:
            channel = await stack.enter_async_context(scene.conduit(NAME, pod))
            made.append(await stack.enter_async_context(attached(channel)))
        yield made


def numbers(program: Running, uri: str) -> list[int]:
    """What the node outside has got of a resource."""
    return [number for line in program.told("got") if line["uri"] == uri for number in line["numbers"]]


def test_it_tells_its_generation_and_why_it_is_ready(scene: News):
    body = scene.get("conduitnode", NAME)
    assert body["status"]["observedGeneration"] == body["metadata"]["generation"]
    assert condition(body, "Ready")["reason"] == "Applied"


def test_kubectl_prints_peers_and_what_did_not_arrive(scene: News):
    head, *rows = scene.cluster("get", "cn", "-n", scene.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "PEERS", "UNDELIVERED", "AGE"]
    assert rows[0].split()[:3] == [NAME, "True", "Applied"]


def test_each_pod_has_a_service_of_its_own_for_peers(scene: News):
    for number, pod in enumerate(PODS):
        spec = scene.get("service", f"{NAME}-conduit-{number}")["spec"]
        assert [(each["protocol"], each["port"]) for each in spec["ports"]] == [("UDP", PORT)]
        assert spec["selector"]["statefulset.kubernetes.io/pod-name"] == pod


async def test_pods_and_the_node_outside_have_sessions_with_each_other(scene: News, outside: Running):
    own = outside.told("ready")[0]["peer"]
    async with clients(scene) as (one, two):
        await one.met(own, two.peer_id.hex())
        await two.met(own, one.peer_id.hex())
    connected = {line["peer"] for line in outside.told("peer") if line["change"] == "CONNECTED"}
    assert connected == {one.peer_id.hex(), two.peer_id.hex()}


async def test_samples_of_the_node_outside_reach_both_pods_once_and_in_order(scene: News, outside: Running):
    async with (
        clients(scene) as (one, two),
        one.subscribed("/outside/*") as first,
        two.subscribed("/outside/*") as second,
    ):
        # It writes once it knows that both subscribe.
        found = await asyncio.gather(first.take(COUNT), second.take(COUNT))
    for samples in found:
        assert [int(each) for each in samples] == list(range(COUNT))


async def test_samples_of_each_pod_reach_the_other_one_and_the_node_outside(scene: News, outside: Running):
    own = outside.told("ready")[0]["peer"]
    wanted = [b"%d" % number for number in range(COUNT)]
    async with clients(scene) as (one, two):
        for client, other, uri in ((one, two, "/pod/first"), (two, one, "/pod/second")):
            async with other.subscribed(uri) as reading:
                await client.heard(own, "/pod/*")
                await client.heard(other.peer_id.hex(), uri)
                await client.publish(uri, wanted)
                assert await reading.take(COUNT) == wanted
    for uri in ("/pod/first", "/pod/second"):
        until(lambda uri=uri: len(numbers(outside, uri)) >= COUNT, WITHIN)
        assert numbers(outside, uri) == list(range(COUNT))


def test_its_status_counts_peers_that_are_not_its_own_pods(scene: News, outside: Running):
    # Figures alone are written once a minute.
    until(lambda: scene.get("conduitnode", NAME)["status"].get("peers") == 1, within=180)
    assert scene.get("conduitnode", NAME)["status"]["undelivered"] == 0


async def test_a_pod_that_is_killed_comes_back_as_the_same_peer_and_goes_on(scene: News, outside: Running):
    own = outside.told("ready")[0]["peer"]
    async with clients(scene) as (one, _):
        peer_id = one.peer_id
    before = scene.pods()[PODS[0]]
    told = len(outside.told("peer"))
    scene.cluster("delete", "pod", PODS[0], "-n", SCRATCH, "--grace-period=0", "--force", "--wait=false")
    until(lambda: scene.pod_ready(PODS[0], other_than=before))
    scene.until_ready()
    async with clients(scene) as (again, other):
        assert again.peer_id == peer_id
        await again.met(own, other.peer_id.hex())
        await again.heard(own, "/pod/*")
        await again.publish("/pod/again", [b"%d" % number for number in range(COUNT)])
    until(lambda: len(numbers(outside, "/pod/again")) >= COUNT, WITHIN)
    assert numbers(outside, "/pod/again") == list(range(COUNT))
    changes = [line["change"] for line in outside.told("peer")[told:] if line["peer"] == peer_id.hex()]
    assert changes[-1] in ("CONNECTED", "RECONNECTED")


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"peers": ["elsewhere:7448"]}, "peers"),
        ({"congestion": {"policy": "spill"}}, "spillRef"),
        ({"listeners": {"udp": {"port": 7449}, "tcp": {"port": 7449}}}, "tcp"),
    ],
    ids=["peers", "spill", "ports"],
)
def test_a_wrong_edit_is_refused_by_the_name_of_its_field(scene: News, spec: Body, field: str):
    with pytest.raises(KubectlError, match=field):
        scene.edit("conduitnode", NAME, **spec)
    scene.until_ready()


def test_fewer_pods_take_their_service_with_them(scene: News):
    scene.edit("conduitnode", NAME, replicas=1)
    until(lambda: PODS[1] not in scene.pods())
    until(lambda: not scene.cluster.exists("service", f"{NAME}-conduit-1", "-n", SCRATCH))
    scene.until_ready()
