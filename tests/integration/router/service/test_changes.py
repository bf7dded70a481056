"""Changes of the configuration of a running router: applied live, and each fault of one resource its own affair."""

import pytest

from eventually import eventually
from forebay.client.router import RegistrationError
from forebay.runtime import SettingsError, UnavailableError
from ports import free_port
from routerserver import KEY, RouterServer
from threads import Inbox


@pytest.fixture
async def pair(make_router):
    """Routers of two domains, east with a link to west."""
    east, west = make_router("east", domain="east"), make_router("west", domain="west")
    east.link("to-west", "west", west.address)
    for each in (west, east):
        await each.start()
    await eventually(lambda: reaches(east, "west"))
    return east, west


async def reaches(router: RouterServer, *domains: str) -> bool:
    return sorted(await router.routes()) == sorted(domains)


async def state_of(router: RouterServer, name: str) -> str:
    link = await router.link_of(name)
    return "" if link is None else "suspended" if link.suspended else "up" if link.up else f"down: {link.problem}"


async def test_a_link_of_its_manifests_carries_messages(pair):
    east, west = pair
    async with east.process("one") as one, west.process("two") as two:
        inbox = Inbox()
        await two.thread("bob", inbox)
        (await one.thread("alice")).send("bob@west", "m", b"hello")
        await inbox.got(1)
    link = await east.link_of("to-west")
    assert (link.up, link.router, link.domain) == (True, "west", "west")


async def test_a_link_is_suspended_and_taken_up_again(pair):
    east, _ = pair
    east.links["to-west"]["suspended"] = True
    await east.applied()
    assert await state_of(east, "to-west") == "suspended"
    assert await east.routes() == []
    east.links["to-west"]["suspended"] = False
    await east.applied()
    await eventually(lambda: reaches(east, "west"))
    assert await east.degradations() == []


async def test_a_link_that_is_removed_is_ended_and_another_is_made(pair, make_router):
    east, _ = pair
    north = make_router("north", domain="north")
    await north.start()
    east.links.clear()
    east.link("to-north", "north", north.address)
    await east.applied()
    await eventually(lambda: reaches(east, "north"))
    assert await east.link_of("to-west") is None


async def test_a_faulty_link_stays_as_it_was_and_touches_nothing_else(pair, make_router):
    east, _ = pair
    north = make_router("north", domain="north")
    await north.start()
    east.links["to-west"]["cost"] = 0
    east.link("to-north", "north", north.address)
    results = await east.apply()
    [violation] = results["RouterLink/to-west"].violations
    assert violation.field == "spec.cost"
    assert results["Router/east"].applied
    assert results["RouterLink/to-north"].applied
    await eventually(lambda: reaches(east, "north", "west"))


async def test_a_faulty_router_stays_as_it_was(pair):
    east, _ = pair
    east.spec["heartbeat"] = {"missed": 0}
    results = await east.apply()
    assert [each.field for each in results["Router/east"].violations] == ["spec.heartbeat.missed"]
    assert await east.routes() == ["west"]


async def test_a_change_of_one_link_leaves_the_others_up(pair, make_router):
    east, _ = pair
    north = make_router("north", domain="north")
    await north.start()
    east.link("to-north", "north", north.address)
    await east.applied()
    await eventually(lambda: reaches(east, "north", "west"))
    before = {each.settings.name: each for each in east.service.node.linkings}
    east.links["to-north"]["cost"] = 7
    await east.applied()
    await eventually(lambda: costs(east, north=7, west=1))
    after = {each.settings.name: each for each in east.service.node.linkings}
    assert after["to-west"] is before["to-west"]


async def costs(router, **wanted):
    return {route.domain: route.cost for route in (await router.view()).routes} == wanted


async def test_a_router_of_another_domain_than_the_links_is_not_linked(make_router):
    east, west = make_router("east", domain="east"), make_router("west", domain="west")
    await west.start()
    east.link("to-plant", "plant", west.address)
    await east.start()
    link = await eventually(lambda: failed(east, "to-plant"))
    assert "its router is of domain west, not plant" in link.problem
    [degradation] = await east.degradations()
    assert (degradation.reason, degradation.kind, degradation.name) == ("LinkDown", "RouterLink", "to-plant")


async def failed(router, name):
    link = await router.link_of(name)
    return link if link and link.problem else None


@pytest.mark.parametrize(
    ("link", "field"),
    [
        pytest.param({"domain": "east"}, "spec.domain", id="the router's own domain"),
        pytest.param({"transport": "udp"}, "spec.transport", id="udp where it does not listen"),
    ],
)
async def test_a_link_that_cannot_be(make_router, link, field):
    east = make_router("east", domain="east")
    await east.start()
    east.link("odd", "west", "127.0.0.1:1")
    east.links["odd"] |= link
    results = await east.apply()
    assert [each.field for each in results["RouterLink/odd"].violations] == [field]
    assert results["Router/east"].applied


async def test_the_domain_changes_with_a_restart_alone(pair):
    east, _ = pair
    east.spec["domain"] = "orient"
    results = await east.apply()
    [violation] = results["Router/east"].violations
    assert (violation.field, violation.description) == (
        "spec.domain",
        "is east until the service is started again: restart it",
    )
    assert (await east.view()).domain == "east"


async def test_names_heartbeat_and_limits_change_live(make_router):
    router = make_router(domain="x")
    await router.start()
    async with router.process("one") as one:
        await one.thread("alice")
        router.spec |= {
            "names": [{"principal": "*", "names": ["bob"]}],
            "heartbeat": {"interval": "200ms"},
            "maxProcesses": 1,
        }
        await router.applied()
        with pytest.raises(RegistrationError, match="may not use the name carol"):
            await one.thread("carol")
        await one.thread("bob")


async def test_links_over_udp_begin_when_the_router_gets_a_key_and_a_listener(make_router):
    ports = {name: free_port() for name in ("east", "west")}
    east, west = [
        make_router(name, domain=name, listeners={"udp": {"port": port, **KEY}}) for name, port in ports.items()
    ]
    del east.spec["listeners"]
    for each in (west, east):
        await each.start()
    east.spec["listeners"] = {"udp": {"port": ports["east"], **KEY}}
    east.link("to-west", "west", f"127.0.0.1:{ports['west']}", transport="udp")
    await east.applied()
    await eventually(lambda: reaches(east, "west"))


async def test_a_udp_port_that_is_taken_is_told_and_the_rest_is_in_effect(pair):
    east, west = pair
    port = free_port()
    west.spec["listeners"] = {"udp": {"port": port, **KEY}}
    await west.applied()
    east.spec["listeners"] = {"udp": {"port": port, **KEY}}
    results = await east.apply()
    [violation] = results["Router/east"].violations
    assert violation.field == "spec.listeners.udp"
    assert "give another port" in violation.description
    assert await east.routes() == ["west"]


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        pytest.param("", "there is no key key in a Secret links: add it", id="missing"),
        pytest.param("short", "the value has 5 octets; give 16 to 64", id="short"),
    ],
)
async def test_a_key_that_cannot_be_used(pair, key, problem):
    east, _ = pair
    east.key = key
    east.spec["listeners"] = {"udp": {"port": free_port(), **KEY}}
    results = await east.apply()
    [violation] = results["Router/east"].violations
    assert (violation.field, violation.description) == ("spec.listeners.udp.keyFrom.secretRef", problem)


async def test_metrics_tell_of_links_and_drops(pair):
    east, _ = pair
    async with east.process("one") as one:
        await (await one.thread("alice")).end()
        metrics = await east.metrics()
    assert metrics["forebay_router_link_up", "to-west"] == 1
    assert metrics["forebay_router_dropped_total", "skal-drop-no-recipient"] == 0
    assert metrics["forebay_router_processes",] == 1


async def test_two_routers_do_not_share_a_data_folder(make_router):
    one, two = make_router(), make_router()
    two.folder = one.folder
    await one.start()
    with pytest.raises(SettingsError, match="is in use by"):
        await two.start()


async def test_without_a_sound_router_nothing_is_routed_until_there_is_one(make_router):
    router = make_router(domain="x", heartbeat={"missed": 0})
    await router.start()
    [degradation] = await router.degradations()
    assert degradation.reason == "NotConfigured"
    with pytest.raises(UnavailableError, match="no valid configuration yet"):
        await router.view()
    router.spec["heartbeat"] = {}
    await router.applied()
    assert (await router.view()).domain == "x"


async def test_its_own_address_among_the_peers_is_no_trouble(make_router):
    one, two = make_router("one", domain="x"), make_router("two", domain="x")
    for each in (one, two):
        each.spec["peers"] = [one.address, two.address]
    await one.start()
    await two.start()
    for each in (one, two):
        await eventually(lambda each=each: linked(each))
        assert await each.degradations() == []


async def linked(router):
    return [link.up for link in (await router.view()).links] == [True]


async def test_a_peer_that_is_away_is_a_degradation(make_router):
    one = make_router("one", domain="x", peers=["127.0.0.1:1"])
    await one.start()
    [degradation] = await eventually(one.degradations)
    assert (degradation.reason, degradation.kind) == ("PeerUnlinked", "")
