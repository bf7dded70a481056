"""Routers with their links. What every kind of services has is tried with Outfeeds."""

import pytest

from forebay_operator.kube.kinds import JOB, ROUTER, ROUTER_LINK, SECRET, SERVICE, SPILL, STATEFUL_SET
from forebay_operator.permissions import PERMISSIONS
from forebay_operator.queue import Depth
from operatorworld import CHAT, resource, router, routerlink, secret, spill, stored

CONFIG, LINKS = "chat-router-config", "chat-links"
ON_MAIN = {"spillRef": {"name": "main"}}
OVER_UDP = {"listeners": {"udp": {"keyFrom": {"secretRef": {"name": "links", "key": "key"}}}}}


@pytest.fixture
async def chatting(world):
    """A Router with two links that runs, without a Spill."""
    world.apply(router(), routerlink("east"), routerlink("west"))
    await world.settle()
    return world


@pytest.fixture
async def spilling(world):
    """One that spills."""
    world.apply(spill(), router(**ON_MAIN), routerlink("east"))
    await world.settle()
    return world


def revision(world):
    return stored(world, CONFIG, "RouterLink")[0]


def service(world):
    return world.service("chat", "router")


def template(world):
    return world.kube.get(STATEFUL_SET, "chat-router")["spec"]["template"]


def users(world):
    return [(each["kind"], each["name"]) for each in world.kube.get(SPILL, "main")["status"]["services"]]


async def test_all_gets_ready_without_a_spill(chatting):
    assert chatting.ready(ROUTER, "chat") == ("True", "Applied")
    assert chatting.ready(ROUTER_LINK, "east") == ("True", "Applied")
    assert [each["kind"] for each in service(chatting).document.manifests] == ["Router", "RouterLink", "RouterLink"]


async def test_all_gets_ready_with_a_spill_which_knows_of_it(spilling):
    assert spilling.ready(ROUTER, "chat") == ("True", "Applied")
    assert [each["kind"] for each in service(spilling).document.manifests] == ["Spill", "Router", "RouterLink"]
    assert users(spilling) == [("Router", "chat")]
    await spilling.verify()
    assert spilling.ready(SPILL, "main") == ("True", "Connected")


async def test_only_rights_of_the_table_are_used(spilling):
    spilling.apply(secret("links", key="x"), router(**ON_MAIN, **OVER_UDP))
    await spilling.settle()
    spilling.apply(router(**ON_MAIN, replicas=2))
    await spilling.verify()
    granted = {(verb, right.resource) for right in PERMISSIONS for verb in right.verbs}
    assert set(spilling.kube.requests) <= granted


async def test_nothing_is_written_when_nothing_has_changed(spilling):
    await spilling.verify()
    spilling.kube.writes.clear()
    await spilling.verify()
    await spilling.reconciler.reconcile(CHAT, Depth.OBSERVE)
    assert spilling.kube.writes == []


async def test_a_suspended_link_is_sent_and_restarts_nothing(chatting):
    before, made = revision(chatting), template(chatting)
    chatting.apply(routerlink("east", suspended=True))
    await chatting.settle()
    document = service(chatting).document
    assert document.revision == revision(chatting) == before + 1
    assert next(each for each in document.manifests if each["metadata"]["name"] == "east")["spec"]["suspended"] is True
    assert template(chatting) == made


async def test_more_pods_are_told_to_those_that_run_and_restart_none(chatting):
    made = template(chatting)
    chatting.apply(router(replicas=3))
    await chatting.settle()
    assert chatting.kube.get(STATEFUL_SET, "chat-router")["spec"]["replicas"] == 3
    assert service(chatting).document.manifests[0]["spec"]["replicas"] == 3
    assert template(chatting) == made


async def test_another_domain_restarts_the_pods(chatting):
    before = template(chatting)["metadata"]["annotations"]
    chatting.apply(router(domain="east"))
    await chatting.settle()
    after = template(chatting)["metadata"]["annotations"]
    assert (before, after) == ({"forebay.dev/domain": "local"}, {"forebay.dev/domain": "east"})


async def test_a_link_of_another_router_is_not_of_this_one(chatting):
    place = {"domain": "far", "addresses": ["far:1"]}
    chatting.apply(resource("RouterLink", "lost", routerRef={"name": "other"}, **place))
    await chatting.settle()
    assert service(chatting).children("RouterLink") == {"east", "west"}
    assert chatting.ready(ROUTER_LINK, "lost") == ("False", "ParentMissing")
    message = chatting.kube.get(ROUTER_LINK, "lost")["status"]["conditions"][0]["message"]
    assert message == "there is no Router other; apply one, or correct spec.routerRef.name"


async def test_a_deleted_link_leaves_the_configuration(chatting):
    chatting.delete(ROUTER_LINK, "east")
    await chatting.settle()
    assert service(chatting).children("RouterLink") == {"west"}


async def test_the_key_of_links_over_udp_comes_with_its_configuration(world):
    world.apply(secret("links", key="x"), router(**OVER_UDP))
    await world.settle()
    assert service(world).document.secrets["news/links"]["key"].reveal() == "pass"
    assert world.kube.get(SERVICE, LINKS)["spec"]["ports"][0]["protocol"] == "UDP"


async def test_without_its_key_a_router_runs_all_the_same(world):
    world.apply(router(**OVER_UDP), routerlink("east"))
    await world.settle()
    assert service(world).children("RouterLink") == {"east"}
    assert world.ready(ROUTER_LINK, "east") == ("True", "Applied")


async def test_the_service_for_links_goes_with_its_listener(world):
    world.apply(secret("links", key="x"), router(**OVER_UDP))
    await world.settle()
    world.apply(router(listeners={"udp": None}))
    await world.verify()
    assert (SERVICE.kind, "news", LINKS) not in world.kube.objects


async def test_it_waits_for_the_spill_that_it_names(world):
    world.apply(router(**ON_MAIN), routerlink("east"))
    await world.settle()
    assert world.ready(ROUTER, "chat") == ("False", "SpillMissing")
    world.apply(spill())
    await world.settle()
    assert world.ready(ROUTER, "chat") == ("True", "Applied")


async def test_a_spill_without_its_secret_holds_it_up(world):
    world.apply(spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}}), router(**ON_MAIN))
    await world.settle()
    assert world.ready(ROUTER, "chat") == ("False", "SecretMissing")


async def test_what_a_deleted_one_left_on_its_spill_is_purged(spilling):
    spilling.delete(ROUTER, "chat")
    await spilling.settle()
    [job] = [body for (kind, *_), body in spilling.kube.objects.items() if kind == JOB.kind]
    uid = spilling.kube.get(SPILL, "main")["status"]["services"][0]["uid"]
    command = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert command[:5] == ["forebay", "spill", "purge", "router", uid]
    job["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    spilling.told(job)
    await spilling.settle()
    assert users(spilling) == []


async def test_a_deleted_one_is_forgotten_with_all_that_was_made_for_it(chatting):
    chatting.delete(ROUTER, "chat")
    await chatting.settle()
    assert [each for each in chatting.kube.objects.values() if each["metadata"].get("ownerReferences")] == []
    assert chatting.ready(ROUTER_LINK, "east") == ("False", "ParentMissing")
    assert chatting.reconciler.routers.scenes == {}


async def test_a_malformed_one_says_so_and_what_was_stays(chatting):
    before = revision(chatting)
    chatting.apply(router(memory="1MiB"))
    await chatting.settle()
    assert chatting.ready(ROUTER, "chat") == ("False", "Invalid")
    assert revision(chatting) == before


async def test_certificates_are_made_for_its_pods_and_its_clients(chatting):
    chatting.apply(router(clients=["bot"]))
    await chatting.settle()
    for name in ("chat-router-tls", "chat-router-client-kubectl", "chat-router-client-bot"):
        assert chatting.kube.get(SECRET, name)["type"] == "kubernetes.io/tls"
