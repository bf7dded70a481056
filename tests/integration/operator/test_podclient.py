"""The operator's calls to a real outfeed, and others, over TLS: configuration in, status out, and pods in trouble."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from eventually import eventually
from forebay.announcer.configuration import Surroundings as AnnouncerSurroundings
from forebay.announcer.service import AnnouncerService
from forebay.conduit.configuration import Surroundings as ConduitSurroundings
from forebay.conduit.service import ConduitNodeService
from forebay.outfeed.configuration import Surroundings
from forebay.outfeed.service import OutfeedService
from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.router.configuration import Surroundings as RouterSurroundings
from forebay.router.service import RouterService
from forebay.runtime import ConfigDocument, GrpcSettings, Host, HostSettings
from forebay.store.queueing.hub import open_hub
from forebay.store.service import StoreService
from forebay_operator.certificates import Authority
from forebay_operator.pods import PodClients
from forebay_operator.pods.identity import write
from forebay_operator.principals import OPERATOR, server_name, server_names
from integration.runtime.echo import EchoService, hosted
from manifests import announcer, conduitnode, forwarder, outfeed, peerfeed, router, routerlink, spill, store, storequeue
from ports import free_port

SERVICE = "news/main-outfeed"
NAME = server_name("main-outfeed", "news")
SURROUNDINGS = Surroundings(lambda _: "", lambda _: "127.0.0.1")


@pytest.fixture
def now():
    return datetime.now(UTC)


@pytest.fixture
def authority(now):
    return Authority.make("news", now)


@pytest.fixture
def tls(tmp_path, authority, now):
    write(tmp_path / "tls", authority.issue(server_names("main-outfeed", "news"), now))
    return tmp_path / "tls"


@asynccontextmanager
async def serving(service, tls):
    settings = HostSettings(grpc=GrpcSettings(tls=tls), operator=OPERATOR)
    async with hosted(service, settings) as host:
        yield host


@pytest.fixture
async def host(tls, tmp_path):
    """An outfeed that waits for its configuration."""
    async with serving(OutfeedService(("news", "main"), tmp_path / "data", SURROUNDINGS), tls) as host:
        yield host


@pytest.fixture
async def clients(tmp_path, authority, now):
    clients = PodClients(tmp_path / "operator")
    await clients.trust(SERVICE, authority.issue([OPERATOR], now))
    yield clients
    await clients.close()


def pod(address="127.0.0.1", uid="uid-1"):
    return {"metadata": {"name": "main-outfeed-0", "uid": uid}, "status": {"podIP": address}}


@pytest.fixture
def client(clients, host):
    return clients.client(SERVICE, pod(), host.grpc_port, NAME)


@pytest.fixture
def document():
    """A document with two peers that are away, and a Redis that is too."""
    away, redis = free_port(), f"redis://127.0.0.1:{free_port()}/0"

    def make(revision, **options):
        place = {"hosts": ["127.0.0.1"], "port": away}
        peers = peerfeed("one", **place, **options), peerfeed("two", **place)
        return ConfigDocument(revision, (spill(url=redis), outfeed(), *peers))

    return make


async def test_a_service_without_a_configuration_is_seen(client):
    view = await client.view()
    assert (view.name, view.ready, view.reachable, view.problem) == ("main-outfeed-0", True, True, "")
    assert (view.revision, view.results, view.peers) == (0, (), ())
    assert [each.reason for each in view.degradations] == ["NotConfigured"]
    assert view.version


async def test_what_is_applied_is_seen(client, document):
    view = await client.apply(document(3))
    assert (view.revision, view.problem) == (3, "")
    assert [(result.kind, result.name, result.applied) for result in view.results] == [
        ("Spill", "main", True),
        ("Outfeed", "main", True),
        ("Peerfeed", "one", True),
        ("Peerfeed", "two", True),
    ]
    assert [(peer.name, peer.uid) for peer in view.peers] == [
        (result.name, result.uid) for result in view.results if result.kind == "Peerfeed"
    ]


async def test_a_peer_that_is_away_is_seen_with_the_reason(client, document):
    await client.apply(document(3))

    async def peer():
        [one, _] = (await client.view()).peers
        return one if one.state == pb.PEER_STATE_BACKING_OFF else None

    away = await eventually(peer)
    assert away.error_reason == "CONNECT_FAILED"
    assert "cannot connect to 127.0.0.1" in away.reason


async def test_what_the_service_refuses_is_seen_with_its_field(client, document):
    view = await client.apply(document(3, window=0))
    [refused] = [result for result in view.results if not result.applied]
    assert (refused.name, refused.generation) == ("one", 1)
    assert refused.violations[0].field == "spec.window"


async def test_a_spill_that_is_away_is_seen(client, document):
    await client.apply(document(3))

    async def degradation():
        found = [each for each in (await client.view()).degradations if each.reason == "SpillUnavailable"]
        return found and found[0]

    away = await eventually(degradation)
    assert (away.kind, away.name) == ("Spill", "main")


async def test_a_lower_revision_that_comes_late_is_ignored(client, document):
    await client.apply(document(3))
    view = await client.apply(document(2, window=7))
    assert (view.revision, view.problem) == (3, "")
    assert [peer.window for peer in view.peers] == [400, 400]


async def test_a_document_that_the_service_fails_to_apply_is_a_problem_of_a_pod_that_answers(tls, clients):
    async with serving(EchoService(), tls) as host:
        client = clients.client(SERVICE, pod(), host.grpc_port, NAME)
        view = await client.apply(ConfigDocument(1, ({"no name": True},)))
    assert view.reachable
    assert "answered INTERNAL" in view.problem
    assert "see the pod's log" in view.problem


async def test_a_caller_that_is_not_the_operator_may_look_and_not_apply(client, clients, authority, now, document):
    await clients.trust(SERVICE, authority.issue(["inn.news.client.forebay"], now))
    view = await client.apply(document(3))
    assert (view.revision, view.reachable) == (0, True)
    assert "PERMISSION_DENIED" in view.problem


async def test_rules_of_access_do_not_blind_the_operator(client):
    rules = [{"principal": "inn.news.client.forebay", "methods": ["Offer"]}]
    view = await client.apply(ConfigDocument(3, (spill(), outfeed(access=rules), peerfeed("one"))))
    assert (view.reachable, view.problem) == (True, "")
    assert [peer.name for peer in view.peers] == ["one"]


async def test_the_queues_of_a_store_are_seen_whatever_its_rules_of_access(tls, clients, tmp_path):
    rules = [{"principal": "till.news.client.forebay", "methods": ["Publish"]}]
    async with serving(StoreService(("news", "main"), tmp_path / "data", open_hub), tls) as host:
        client = clients.client(SERVICE, pod(), host.grpc_port, NAME)
        view = await client.apply(ConfigDocument(3, (store(access=rules), storequeue("orders"))))
    assert (view.reachable, view.problem) == (True, "")
    assert [queue.name for queue in view.queues] == ["orders"]
    assert view.members == ()


async def test_the_forwarders_and_the_queue_of_an_announcer_are_seen_whatever_its_rules_of_access(
    tls, clients, tmp_path
):
    rules = [{"principal": "panel.news.client.forebay", "methods": ["Scrape"]}]
    silent = {"http": {"enabled": False}, "udp": {"enabled": False}}
    service = AnnouncerService(("news", "main"), tmp_path / "data", AnnouncerSurroundings(lambda _: ""))
    async with serving(service, tls) as host:
        client = clients.client(SERVICE, pod(), host.grpc_port, NAME)
        spec = announcer(access=rules, listeners=silent)
        view = await client.apply(ConfigDocument(3, (spec, forwarder("east"), forwarder("west", pause=True))))
    assert (view.reachable, view.problem) == (True, "")
    assert [(each.name, each.condition) for each in view.forwarders] == [
        ("east", announcer_pb2.FORWARDER_CONDITION_ENABLED),
        ("west", announcer_pb2.FORWARDER_CONDITION_PAUSED),
    ]
    assert (view.queue.peers, view.queue.capacity) == (0, 10_000)


async def test_a_router_and_its_links_are_seen_whatever_its_rules_of_access(tls, clients, tmp_path):
    rules = [{"principal": "panel.news.client.forebay", "methods": ["ListThreads"]}]
    service = RouterService(("news", "main"), tmp_path / "data", RouterSurroundings(tls=tls))
    async with serving(service, tls) as host:
        client = clients.client(SERVICE, pod(), host.grpc_port, NAME)
        documents = router(access=rules), routerlink("west", suspended=True)
        view = await client.apply(ConfigDocument(3, documents))
    assert (view.reachable, view.problem) == (True, "")
    assert (view.router.domain, view.router.threads) == ("local", 0)
    assert [link.suspended for link in view.links_of("west")] == [True]


async def test_a_node_of_conduit_is_seen_whatever_its_rules_of_access(tls, clients, tmp_path):
    rules = [{"principal": "panel.news.client.forebay", "methods": ["Attach"]}]
    service = ConduitNodeService(("news", "main"), tmp_path / "data", ConduitSurroundings())
    async with serving(service, tls) as host:
        client = clients.client(SERVICE, pod(), host.grpc_port, NAME)
        document = conduitnode(access=rules, peerId="0a0b", listeners={"udp": {"port": free_port()}})
        view = await client.apply(ConfigDocument(3, (document,)))
    assert (view.reachable, view.problem) == (True, "")
    assert (view.conduit.peer_id, list(view.conduit.peers), view.conduit.undelivered) == (b"\x0a\x0b", [], 0)


async def test_renewed_certificates_are_used_at_the_next_call(client, clients, authority, now):
    await clients.trust(SERVICE, Authority.make("strangers", now).issue([OPERATOR], now))
    assert not (await client.view()).reachable
    await clients.trust(SERVICE, authority.issue([OPERATOR], now))
    assert (await client.view()).reachable


async def test_a_pod_that_is_away_is_a_problem_with_a_remedy(clients):
    port = free_port()
    view = await clients.client(SERVICE, pod(), port, NAME).view()
    assert not view.reachable
    assert view.problem.startswith(f"the service at 127.0.0.1:{port} answered UNAVAILABLE")
    assert view.problem.endswith("see the pod's log, and whether a NetworkPolicy keeps the operator out")


async def test_a_service_that_starts_is_told(tls, clients):
    service = EchoService()
    service.started.clear()
    settings = HostSettings(grpc=GrpcSettings(tls=tls), operator=OPERATOR)
    host = Host(service, settings)
    start = asyncio.create_task(host.start())
    try:
        await eventually(lambda: "start" in service.events)
        view = await clients.client(SERVICE, pod(), host.grpc_port, NAME).view()
        service.started.set()
        await start
    finally:
        await host.stop()
    assert (view.reachable, view.problem) == (False, "the service is starting")


async def test_a_server_of_another_name_is_not_believed(clients, host):
    view = await clients.client(SERVICE, pod(), host.grpc_port, server_name("other-outfeed", "news")).view()
    assert not view.reachable


async def test_a_pod_that_comes_back_is_seen_soon(clients, tls, tmp_path):
    port = free_port()
    client = clients.client(SERVICE, pod(), port, NAME)
    assert not (await client.view()).reachable
    settings = HostSettings(grpc=GrpcSettings(tls=tls, listen=f"127.0.0.1:{port}"), operator=OPERATOR)
    async with hosted(EchoService(), settings):

        async def is_seen():
            return (await client.view()).reachable

        await eventually(is_seen)


async def test_a_service_is_reached_by_an_ipv6_address(clients, tls):
    settings = HostSettings(grpc=GrpcSettings(tls=tls, listen="[::1]:0"), operator=OPERATOR)
    async with hosted(EchoService(), settings) as host:
        assert (await clients.client(SERVICE, pod("::1"), host.grpc_port, NAME).view()).reachable
