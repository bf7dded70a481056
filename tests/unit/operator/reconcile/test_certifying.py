import pytest

from forebay_operator.errors import ConflictError
from forebay_operator.kube.kinds import OUTFEED, SECRET
from forebay_operator.resources import noted_clients
from operatorworld import OperatorWorld, outfeed, spill


@pytest.fixture
async def world():
    """An Outfeed with two clients."""
    world = OperatorWorld()
    world.apply(spill(), outfeed(clients=["inn", "reports"]))
    await world.settle()
    return world


def clients(world):
    """Those that have a certificate."""
    prefix = "hub-outfeed-client-"
    return {name.removeprefix(prefix) for kind, _, name in world.kube.objects if kind == "Secret" and prefix in name}


def noted(world):
    return noted_clients(world.kube.get(SECRET, "hub-outfeed-tls"))


async def test_each_client_gets_one_and_is_noted(world):
    assert clients(world) == {"kubectl", "inn", "reports"}
    assert noted(world) == {"inn", "reports"}


async def test_one_that_is_none_any_more_loses_its_secret(world):
    world.apply(outfeed(clients=["reports"]))
    await world.settle()
    assert clients(world) == {"kubectl", "reports"}
    assert noted(world) == {"reports"}


async def test_the_plugin_keeps_its_own(world):
    for names in (["kubectl"], []):
        world.apply(outfeed(clients=names))
        await world.settle()
    assert clients(world) == {"kubectl"}


async def test_killed_before_all_were_issued_none_is_forgotten(world):
    world.kube.fail("create", SECRET)
    world.apply(outfeed(clients=["late", "later"]))
    with pytest.raises(ConflictError):
        await world.settle()
    world.restart()
    world.apply(outfeed(clients=[]))
    await world.settle()
    assert clients(world) == {"kubectl"}


async def test_killed_before_the_secret_was_deleted_the_next_pass_does(world):
    world.kube.fail("delete", SECRET)
    world.apply(outfeed(clients=["reports"]))
    with pytest.raises(ConflictError):
        await world.settle()
    assert "inn" in noted(world)
    world.restart()
    await world.settle()
    assert clients(world) == {"kubectl", "reports"}


async def test_a_secret_that_somebody_made_is_left_to_them(world):
    body = world.kube.get(SECRET, "hub-outfeed-client-inn")
    body["metadata"]["ownerReferences"] = []
    world.apply(outfeed(clients=["reports"]))
    await world.settle()
    assert "inn" in clients(world)


async def test_nothing_is_written_when_nothing_has_changed(world):
    await world.verify()
    world.kube.writes.clear()
    await world.verify()
    assert world.kube.writes == []


async def test_the_operators_own_secret_is_none_that_users_bring(world):
    """Its authorities would be added to themselves in each pass."""
    world.apply(outfeed(tls={"secretRef": {"name": "hub-outfeed-tls"}}))
    await world.settle()
    before = world.kube.get(SECRET, "hub-outfeed-tls")
    await world.verify()
    assert world.kube.get(SECRET, "hub-outfeed-tls") == before
    assert world.ready(OUTFEED, "hub") == ("False", "CertificateUnusable")
