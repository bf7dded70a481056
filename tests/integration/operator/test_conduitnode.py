"""ConduitNodes, from the manifest to samples between two pods and a node of this process."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import pytest_asyncio

from authority import mount
from conduitcalls import attached
from eventually import eventually
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel
from operatorsite import Site, press, resource, secret

pytestmark = pytest.mark.asyncio(loop_scope="module")
PODS = [f"press-conduitnode-{number}" for number in range(2)]
PORT, GRPC = 7448, 7449
COUNT = 1000
NUMBERS = [b"%d" % number for number in range(COUNT)]
KEYED = {"keys": [{"id": 1, "keyFrom": {"secretRef": {"name": "seal", "key": "key"}}}]}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def met(shared_site):
    """The site with a ConduitNode of two pods and a Spill."""
    await shared_site.apply(
        resource("Spill", "main", managed={"storage": "1GiB"}),
        press(replicas=2, spillRef={"name": "main"}, clients=["robot"]),
    )
    await shared_site.until_ready(within=240)
    return shared_site


async def address(site: Site, pod: str) -> str:
    return str((await site.client.get("Pod", site.namespace, pod))["status"]["podIP"])


@asynccontextmanager
async def clients(site: Site):
    """A client of each pod."""
    folder = mount(site.folder / "robot", await site.secret("press-conduitnode-client-robot"))
    settings = ChannelSettings(server_name=f"press-conduitnode.{site.namespace}.svc")
    async with AsyncExitStack() as stack:
        made = []
        for pod in PODS:
            place = f"ipv4:{await address(site, pod)}:{GRPC}"
            channel = ClientChannel(place, CertificateFolder(folder), settings)
            stack.push_async_callback(channel.close)
            made.append(await stack.enter_async_context(attached(channel.get())))
        yield made


async def outside(site: Site) -> Node:
    """A node of this process that seeks both pods."""
    places = [f"udp/{await address(site, pod)}:{PORT}" for pod in PODS]
    return Node(ConduitNodeSettings(peers=tuple(places), scout_interval=0.5))


async def collected(subscription) -> list[bytes]:
    found: list[bytes] = []
    async with asyncio.timeout(60):
        async for delivery in subscription:
            found += delivery.payloads
            if len(found) >= COUNT:
                break
    return found


async def status(site: Site) -> dict:
    return dict((await site.client.get("ConduitNode", site.namespace, "press"))["status"])


async def test_pods_find_each_other_and_exchange_samples(met):
    async with clients(met) as (one, two):
        await one.met(two.peer_id.hex())
        async with two.subscribed("/plant/*") as reading:
            await one.heard(two.peer_id.hex(), "/plant/*")
            await one.publish("/plant/oven", NUMBERS)
            assert await reading.take(COUNT) == NUMBERS


async def test_a_node_outside_exchanges_samples_with_both_pods(met):
    async with clients(met) as (one, two), await outside(met) as node:
        own = node.peer_id.hex()
        await asyncio.gather(one.met(own), two.met(own))
        async with one.subscribed("/lab/lamp") as first, two.subscribed("/lab/lamp") as second:
            directory = node.participant.node.declarations.directory
            await node.until(lambda: len(directory.reach_uri("/lab/lamp").peers) == 2)
            await node.publisher("/lab/lamp").write(NUMBERS)
            assert await asyncio.gather(first.take(COUNT), second.take(COUNT)) == [NUMBERS, NUMBERS]
        for client, uri in ((one, "/plant/a"), (two, "/plant/b")):
            subscription = node.subscribe(uri)
            await client.heard(own, uri)
            await client.publish(uri, NUMBERS)
            assert await collected(subscription) == NUMBERS


async def test_its_status_counts_peers_that_are_not_its_own_pods(met):
    async with clients(met) as (one, two), await outside(met) as node:
        await asyncio.gather(one.met(node.peer_id.hex()), two.met(node.peer_id.hex()))
        # Figures alone are written once a minute, but at once with what an edit brings.
        await met.edit("ConduitNode", "press", clients=["robot", "panel"])

        async def shown():
            await met.is_ready("ConduitNode", "press")
            assert (await status(met))["peers"] == 1
            return True

        await eventually(shown, within=120)


async def test_resources_are_declared_live(met):
    pods = await met.pods()
    await met.edit("ConduitNode", "press", resources=[{"uri": "/ahead", "id": 77, "reliable": True}])
    await met.until_ready()
    async with clients(met) as (one, _):
        await eventually(lambda: knows(one, "/ahead", 77), within=60)
    assert await met.pods() == pods


async def knows(client, uri: str, rid: int) -> bool:
    return (uri, rid) in await client.resources()


async def test_a_pod_that_is_replaced_is_the_same_peer(met):
    async with clients(met) as (one, two):
        before = one.peer_id, two.peer_id
    uids = await met.pods()
    await met.client.delete("Pod", met.namespace, PODS[0], gracePeriodSeconds=0)

    async def is_another():
        body = await met.client.find("Pod", met.namespace, PODS[0]) or {"metadata": {"uid": uids[PODS[0]]}}
        conditions = body.get("status", {}).get("conditions", [])
        is_ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
        return is_ready and body["metadata"]["uid"] != uids[PODS[0]]

    await eventually(is_another, within=120)
    await met.until_ready(within=240)
    async with clients(met) as (one, two):
        assert (one.peer_id, two.peer_id) == before
        await two.met(one.peer_id.hex())
        async with one.subscribed("/after") as reading:
            await two.heard(one.peer_id.hex(), "/after")
            await two.publish("/after", NUMBERS)
            assert await reading.take(COUNT) == NUMBERS


async def test_sealed_pods_exchange_samples_and_let_no_other_node_in(met):
    await met.apply(secret("seal", key="sixteen octets, or more of them"))
    uids = await met.pods()
    await met.edit("ConduitNode", "press", authentication=KEYED)

    async def are_others():
        pods = await met.pods()
        assert all(pods.get(pod, uids[pod]) != uids[pod] for pod in PODS)
        return True

    await eventually(are_others, within=180)
    await met.until_ready(within=240)
    async with clients(met) as (one, two), await outside(met) as node:
        await one.met(two.peer_id.hex())
        async with two.subscribed("/sealed") as reading:
            await one.heard(two.peer_id.hex(), "/sealed")
            await one.publish("/sealed", NUMBERS)
            assert await reading.take(COUNT) == NUMBERS

        async def refused():
            return (await one.node()).refused_datagrams > 0

        await eventually(refused, within=60)
        assert node.peers == {}


async def test_it_takes_its_objects_with_it_and_what_it_left_on_the_spill(met):
    body = await met.client.get("ConduitNode", met.namespace, "press")
    await met.client.delete("ConduitNode", met.namespace, "press")

    async def gone():
        for kind in ("StatefulSet", "Service", "Secret", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount"):
            found = await met.client.list(kind, met.namespace, "app.kubernetes.io/instance=press")
            assert not found, [body["metadata"]["name"] for body in found]
        return True

    async def purged():
        services = (await met.client.get("Spill", met.namespace, "main"))["status"].get("services", [])
        return body["metadata"]["uid"] not in [each["uid"] for each in services]

    await eventually(gone, within=120, every=0.2)
    await eventually(purged, within=120, every=0.2)
