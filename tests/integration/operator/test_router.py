"""Routers and their links, from the manifests to messages between processes: a domain of three pods, and another."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from authority import mount
from eventually import eventually
from forebay.client.router import DroppedError, Process, ProcessSettings
from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY
from forebay_operator.certificates import Authority
from operatorsite import Site, chat, resource, routerlink, secret

pytestmark = pytest.mark.asyncio(loop_scope="module")
PODS = [f"east-router-{number}" for number in range(3)]
PORT = 7720
SEAL = "sixteen octets, or more of them"
BRIEF = ProcessSettings(farewell=2.0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def linked(shared_site):
    """The site with domain east of three routers and a Spill, and domain west of one, to which east links."""
    await shared_site.apply(
        resource("Spill", "main", managed={"storage": "1GiB"}),
        secret("links", key=SEAL),
        chat("east", domain="east", replicas=3, spillRef={"name": "main"}, clients=["bot"]),
        chat("west", domain="west", clients=["bot"]),
        routerlink("west", "west", f"west-router.{shared_site.namespace}.svc:{PORT}", router="east"),
    )
    await shared_site.until_ready(within=240)
    await eventually(lambda: is_up(shared_site), within=90)
    return shared_site


async def is_up(site: Site) -> bool:
    found = await site.condition("RouterLink", "west", "LinkDown")
    assert (found["status"], found["reason"]) == ("False", "Up"), found
    return True


async def address(site: Site, pod: str) -> str:
    """Where a process attaches, by the name that the certificate is good for."""
    name = pod.rpartition("-")[0]
    body = await site.client.get("Pod", site.namespace, pod)
    return f"{name}.{site.namespace}.svc@{body['status']['podIP']}:{PORT}"


@asynccontextmanager
async def process(site: Site, name: str, *pods: str):
    """A process of this machine that is attached to the first of some pods that takes it."""
    router = pods[0].partition("-")[0]
    folder = mount(site.folder / name, await site.secret(f"{router}-router-client-bot"))
    places = [await address(site, pod) for pod in pods]
    async with Process.connect(places, name, tls=folder, settings=BRIEF) as made:
        yield made


async def echo(thread, message):
    thread.reply(message, "echo", message.body)


async def knows(site: Site, name: str) -> bool:
    """Whether the first pod of domain east knows a thread; others tell it of theirs."""
    async with site.router("east") as client:
        return name in [thread.name async for thread in client.threads()]


async def status(site: Site, kind: str, name: str) -> dict:
    return dict((await site.client.get(kind, site.namespace, name))["status"])


async def test_pods_of_a_router_are_one_domain(linked):
    async with process(linked, "here", PODS[0]) as here, process(linked, "there", PODS[2]) as there:
        await there.thread("echo", echo)
        await eventually(lambda: knows(linked, "echo@east"))
        asker = await here.thread("asker")
        assert (await asker.request("echo", "ask", b"hello", within=10)).body == b"hello"
        async with linked.router("east") as client:
            found = {thread.name: thread.router async for thread in client.threads()}
    assert found == {"asker@east": PODS[0], "echo@east": PODS[2]}


async def test_a_message_takes_a_link_to_another_domain_and_back(linked):
    async with process(linked, "east", PODS[1]) as east, process(linked, "west", "west-router-0") as west:
        await west.thread("echo", echo)
        asker = await east.thread("asker")
        assert (await asker.request("echo@west", "ask", b"far", within=10)).body == b"far"


async def test_statuses_tell_of_threads_processes_and_links(linked):
    async with process(linked, "told", PODS[0]) as told:
        await told.thread("one")
        await told.thread("two")
        # Figures alone are written once a minute, but at once with what an edit brings.
        await linked.edit("Router", "east", clients=["bot", "panel"])

        async def shown():
            await linked.is_ready("Router", "east")
            found = await status(linked, "Router", "east")
            assert (found["threads"], found["processes"], found["links"]) == (2, 1, "1/1"), found
            return True

        await eventually(shown, within=120)
    found = await status(linked, "RouterLink", "west")
    assert (found["state"], found["router"]) == ("Up", "west-router-0")


async def test_a_suspended_link_is_told_and_taken_by_nobody_until_it_is_resumed(linked):
    pods = await linked.pods()
    await linked.edit("RouterLink", "west", suspended=True)

    async def suspended():
        found = await linked.condition("RouterLink", "west", "Suspended")
        return found["status"] == "True"

    await eventually(suspended, within=60)
    async with process(linked, "asking", PODS[0]) as asking, process(linked, "answering", "west-router-0") as west:
        await west.thread("echo", echo)
        asker = await asking.thread("asker")
        with pytest.raises(DroppedError, match="skal-drop-no-network"):
            await asker.request("echo@west", "ask", within=30)
        await linked.edit("RouterLink", "west", suspended=False)
        await eventually(lambda: is_up(linked), within=60)
        assert (await asker.request("echo@west", "ask", b"again", within=30)).body == b"again"
    assert await linked.pods() == pods


async def test_a_link_to_nobody_is_down_with_its_reason(linked):
    await linked.apply(routerlink("gone", "gone", f"west-router.{linked.namespace}.svc:9", router="east"))

    async def down():
        found = await linked.condition("RouterLink", "gone", "LinkDown")
        assert (found["status"], found["reason"]) == ("True", "NotReached"), found
        return True

    await eventually(down, within=90)
    await linked.is_ready("RouterLink", "gone")
    degraded = await linked.condition("Router", "east", "Degraded")
    assert (degraded["status"], degraded["reason"]) == ("True", "LinkDown")
    assert "gone: " in degraded["message"]
    await linked.client.delete("RouterLink", linked.namespace, "gone")


async def test_a_link_may_be_over_udp(linked):
    listener = {"udp": {"keyFrom": {"secretRef": {"name": "links", "key": "key"}}}}
    for name in ("east", "west"):
        await linked.edit("Router", name, listeners=listener)
    await linked.edit(
        "RouterLink", "west", transport="udp", addresses=[f"west-links.{linked.namespace}.svc:{PORT}"], tls=None
    )
    await linked.until_ready(within=240)
    await eventually(lambda: is_up(linked), within=120)
    service = await linked.client.get("Service", linked.namespace, "west-links")
    assert [(each["protocol"], each["port"]) for each in service["spec"]["ports"]] == [("UDP", PORT)]
    async with process(linked, "near", PODS[1]) as near, process(linked, "far", "west-router-0") as far:
        await far.thread("echo", echo)
        asker = await near.thread("asker")
        assert (await asker.request("echo@west", "ask", b"udp", within=30)).body == b"udp"


async def test_processes_of_a_pod_that_goes_attach_to_another(linked):
    async with process(linked, "moving", PODS[2], PODS[1]) as moving, process(linked, "staying", PODS[0]) as staying:
        await moving.thread("echo", echo)
        await eventually(lambda: knows(linked, "echo@east"))
        asker = await staying.thread("asker")
        assert (await asker.request("echo", "ask", within=10)).name == "echo"
        before = (await linked.pods())[PODS[2]]
        await linked.client.delete("Pod", linked.namespace, PODS[2], gracePeriodSeconds=30)

        async def moved():
            async with linked.router("east") as client:
                found = {thread.name: thread.router async for thread in client.threads()}
            return found.get("echo@east") == PODS[1]

        await eventually(moved, within=60)
        assert (await asker.request("echo", "ask", b"still", within=30)).body == b"still"

    async def is_another():
        return (await linked.pods()).get(PODS[2], before) != before

    await eventually(is_another, within=120)
    await linked.until_ready(within=240)


async def test_who_has_no_certificate_of_its_authority_is_not_let_in(linked):
    made = Authority.make("strangers", datetime.now(UTC)).issue(("bot.news.client.forebay",), datetime.now(UTC))
    data = await linked.secret("east-router-client-bot")
    files = {CHAIN: made.chain, KEY: made.key, AUTHORITIES: data[AUTHORITIES]}
    folder = mount(linked.folder / "stranger", files)
    place = await address(linked, PODS[0])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(3), Process.connect(place, "stranger", tls=folder, settings=BRIEF):
            pass


async def test_fewer_pods_are_still_one_domain(linked):
    await linked.edit("Router", "east", replicas=2)

    async def gone():
        return PODS[2] not in await linked.pods()

    await eventually(gone, within=120)
    await linked.until_ready()
    async with process(linked, "a", PODS[0]) as one, process(linked, "b", PODS[1]) as two:
        await two.thread("echo", echo)
        await eventually(lambda: knows(linked, "echo@east"))
        asker = await one.thread("asker")
        assert (await asker.request("echo", "ask", b"two", within=30)).body == b"two"


async def test_a_router_takes_its_objects_with_it_and_what_it_left_on_the_spill(linked):
    body = await linked.client.get("Router", linked.namespace, "east")
    await linked.client.delete("Router", linked.namespace, "east")

    async def gone():
        for kind in ("StatefulSet", "Service", "Secret", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount"):
            found = await linked.client.list(kind, linked.namespace, "app.kubernetes.io/instance=east")
            assert not found, [body["metadata"]["name"] for body in found]
        return True

    async def purged():
        services = (await status(linked, "Spill", "main"))["services"]
        return body["metadata"]["uid"] not in [each["uid"] for each in services]

    await eventually(gone, within=120, every=0.2)
    await eventually(purged, within=120, every=0.2)
    found = await eventually(lambda: linked.is_ready("RouterLink", "west", "False"), within=60)
    assert found["reason"] == "ParentMissing"
