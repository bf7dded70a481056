"""An Announcer and its forwarders, from the manifests to swarms that outlive the pod."""

import asyncio

import pytest
import pytest_asyncio

from announceclient import announce, scrape
from eventually import eventually
from operatorsite import Site, forwarder, resource, tracker

pytestmark = pytest.mark.asyncio(loop_scope="module")
HASH, OTHER = bytes(range(20)), bytes(range(20, 40))
PORT = 6969
POD = "swarm-announcer-0"
OWN_JOBS = {"spillRef": {"name": "main"}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tracking(shared_site):
    """The site with an Announcer that passes on to another, which has no Spill, and to where nobody listens."""
    host = f"upstream-announce.{shared_site.namespace}.svc"
    await shared_site.apply(
        resource("Spill", "main", managed={"storage": "1GiB"}),
        tracker("upstream"),
        tracker(**OWN_JOBS),
    )
    await shared_site.until_ready()
    await shared_site.apply(
        forwarder("upstream", f"http://{host}:{PORT}/announce"), forwarder("gone", f"http://{host}:{PORT + 1}/announce")
    )
    await shared_site.until_ready()
    return shared_site


@pytest_asyncio.fixture(loop_scope="module")
async def undisturbed(tracking):
    """No pod may be another after the test."""
    pods = await tracking.pods()
    yield tracking
    assert await tracking.pods() == pods


async def place(site: Site, scheme: str, name: str = "swarm", port: int = PORT) -> str:
    """The announce URL of an Announcer's pod."""
    pod = await site.client.get("Pod", site.namespace, f"{name}-announcer-0")
    return f"{scheme}://{pod['status']['podIP']}:{port}/announce"


async def told(site: Site, scheme: str, peer_id: str, port: int, info_hash: bytes = HASH, name: str = "swarm") -> dict:
    """Announce; the answer."""
    return await asyncio.to_thread(announce, await place(site, scheme, name), info_hash, peer_id, port)


async def status(site: Site, kind: str, name: str) -> dict:
    return dict((await site.client.get(kind, site.namespace, name))["status"])


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_clients_find_each_other_by_their_own_addresses(undisturbed, scheme):
    info_hash = scheme.encode().ljust(20)
    first = await told(undisturbed, scheme, "first", 1001, info_hash)
    assert (first["peers"], first["incomplete"]) == ([], 1)
    second = await told(undisturbed, scheme, "second", 1002, info_hash)
    assert second["peers"] == [f"{await undisturbed.gateway()}:1001"]
    sizes = await asyncio.to_thread(scrape, await place(undisturbed, scheme), info_hash)
    assert sizes == {"complete": 0, "downloaded": 0, "incomplete": 2}


async def test_what_is_announced_reaches_the_other_tracker(undisturbed):
    await told(undisturbed, "udp", "near", 2001, OTHER)

    async def known():
        async with undisturbed.announcer("upstream") as client:
            return OTHER in [swarm.info_hash async for swarm in client.swarms()]

    await eventually(known, within=60)


async def test_its_status_tells_what_is_tracked(undisturbed):
    # Figures alone are written once a minute, but at once with what an edit brings.
    await undisturbed.edit("Announcer", "swarm", clients=["panel"])
    await undisturbed.until_ready(("Announcer", "swarm"))
    found = await status(undisturbed, "Announcer", "swarm")
    assert (found["torrents"], found["peers"], found["forwarders"]) == (3, 5, "1/2")
    assert (found["queued"], found["fill"]) == (0, 0)


async def test_a_tracker_that_does_not_listen_is_disabled_with_its_reason_until_it_is_enabled(undisturbed):
    async def disabled():
        return (await undisturbed.condition("Forwarder", "gone", "Disabled"))["status"] == "True"

    await told(undisturbed, "http", "trying", 3001)
    await eventually(disabled, within=60)
    found = await undisturbed.condition("Forwarder", "gone", "Disabled")
    assert found["reason"] == "ConnectionRefused"
    assert (await undisturbed.condition("Forwarder", "gone"))["status"] == "True"
    degraded = await undisturbed.condition("Announcer", "swarm", "Degraded")
    assert (degraded["status"], degraded["reason"]) == ("True", "ForwarderDisabled")
    assert "gone: " in degraded["message"]
    async with undisturbed.announcer("swarm") as client:
        await client.enable("gone")

    async def enabled():
        return (await undisturbed.condition("Forwarder", "gone", "Disabled"))["status"] == "False"

    await eventually(enabled, within=60)
    assert (await status(undisturbed, "Forwarder", "gone"))["state"] == "Enabled"


async def test_an_edit_of_a_forwarder_is_live(undisturbed):
    await undisturbed.edit("Forwarder", "gone", pause=True)
    await undisturbed.until_ready(("Forwarder", "gone"))

    async def paused():
        return (await status(undisturbed, "Forwarder", "gone"))["state"] == "Paused"

    await eventually(paused, within=60)


async def test_what_the_announcer_tells_clients_is_live(undisturbed):
    await undisturbed.edit("Announcer", "swarm", announces={"interval": "20m", "minInterval": "1m"})
    await undisturbed.until_ready(("Announcer", "swarm"))
    assert (await told(undisturbed, "http", "asking", 4001))["interval"] == 1200


async def test_swarms_outlive_their_pod(tracking):
    before = (await tracking.pods())[POD]
    known = await asyncio.to_thread(scrape, await place(tracking, "http"), HASH)
    assert known["incomplete"] > 0
    await tracking.client.delete("Pod", tracking.namespace, POD, gracePeriodSeconds=30)

    async def is_another():
        pod = await tracking.client.find("Pod", tracking.namespace, POD) or {"metadata": {"uid": before}}
        conditions = pod.get("status", {}).get("conditions", [])
        ready = [each["status"] for each in conditions if each["type"] == "Ready"]
        return pod["metadata"]["uid"] != before and ready == ["True"]

    await eventually(is_another, within=120)
    await tracking.until_ready()
    assert await asyncio.to_thread(scrape, await place(tracking, "http"), HASH) == known


async def test_a_protocol_that_is_turned_off_goes_with_its_port(tracking):
    await tracking.edit("Announcer", "upstream", listeners={"udp": {"enabled": False}})

    async def changed():
        service = await tracking.client.find("Service", tracking.namespace, "upstream-announce")
        return service and [each["name"] for each in service["spec"]["ports"]] == ["http"]

    await eventually(changed, within=60)
    await tracking.edit("Announcer", "upstream", listeners={"http": {"enabled": False}})

    async def gone():
        return await tracking.client.find("Service", tracking.namespace, "upstream-announce") is None

    await eventually(gone, within=90)
    await tracking.edit("Announcer", "upstream", listeners={"http": {"enabled": True}})
    await eventually(changed, within=60)
    await tracking.until_ready()


async def test_an_announcer_takes_its_objects_with_it_and_what_it_left_on_the_spill(tracking):
    body = await tracking.client.get("Announcer", tracking.namespace, "swarm")
    await tracking.client.delete("Announcer", tracking.namespace, "swarm")

    async def gone():
        for kind in ("StatefulSet", "Service", "Secret", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount"):
            found = await tracking.client.list(kind, tracking.namespace, "app.kubernetes.io/instance=swarm")
            assert not found, [body["metadata"]["name"] for body in found]
        return True

    async def purged():
        services = (await status(tracking, "Spill", "main"))["services"]
        return body["metadata"]["uid"] not in [each["uid"] for each in services]

    await eventually(gone, within=120, every=0.2)
    await eventually(purged, within=120, every=0.2)
    found = await eventually(lambda: tracking.is_ready("Forwarder", "upstream", "False"), within=60)
    assert found["reason"] == "ParentMissing"
