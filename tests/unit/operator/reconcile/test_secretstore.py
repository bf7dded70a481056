import pytest

from fakekube import FakeKube
from forebay_operator.errors import ConflictError, NameTakenError
from forebay_operator.kube.kinds import SECRET
from forebay_operator.queue import Depth
from forebay_operator.reconcile.secretstore import SecretStore
from operatorobjects import secrets
from operatorworld import HUB

WANTED = secrets()[0]


@pytest.fixture
def kube():
    return FakeKube()


@pytest.fixture
def store(kube):
    return SecretStore(kube)


def given(name, **data):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "news"}, "data": data}


@pytest.fixture
async def kept(kube, store):
    """A Secret of ours that is there, as it was read."""
    kube.put({**WANTED, "metadata": {**WANTED["metadata"], "namespace": "news"}})
    return await store.find("news", WANTED["metadata"]["name"])


def wanted(**data):
    return {**WANTED, "metadata": {**WANTED["metadata"], "namespace": "news"}, "data": {**WANTED["data"], **data}}


async def test_one_that_is_missing_is_made(kube, store):
    await store.put(wanted(), None)
    assert kube.get(SECRET, WANTED["metadata"]["name"])["data"] == WANTED["data"]


async def test_one_that_somebody_made_meanwhile_is_a_conflict(kube, store, kept):
    with pytest.raises(ConflictError):
        await store.put(wanted(), None)


async def test_one_that_is_right_is_not_written(kube, store, kept):
    kube.requests.clear()
    await store.put(wanted(), kept)
    assert not kube.requests


async def test_one_that_differs_is_written(kube, store, kept):
    await store.put(wanted(revision="NQ=="), kept)
    assert kube.get(SECRET, WANTED["metadata"]["name"])["data"]["revision"] == "NQ=="


async def test_one_that_somebody_wrote_meanwhile_is_a_conflict(kube, store, kept):
    kube.put(wanted(revision="OQ=="))
    with pytest.raises(ConflictError):
        await store.put(wanted(revision="NQ=="), kept)


async def test_one_that_lost_its_owner_gets_it_back(kube, store, kept):
    kube.objects["Secret", "news", WANTED["metadata"]["name"]]["metadata"]["ownerReferences"] = []
    await store.put(wanted(), await store.find("news", WANTED["metadata"]["name"]))
    assert kube.get(SECRET, WANTED["metadata"]["name"])["metadata"]["ownerReferences"]


async def test_what_somebody_else_put_into_it_is_taken_away(kube, store, kept):
    kube.put({**kept, "data": {**kept["data"], "mine": "AA=="}})
    await store.put(wanted(), await store.find("news", WANTED["metadata"]["name"]))
    assert kube.get(SECRET, WANTED["metadata"]["name"])["data"] == WANTED["data"]


@pytest.mark.parametrize("part", ["labels", "annotations"])
async def test_marks_that_it_lost_come_back(kube, store, kept, part):
    body = wanted()
    body["metadata"][part] = {**body["metadata"].get(part, {}), "forebay.dev/mark": "x"}
    await store.put(body, kept)
    assert kube.get(SECRET, WANTED["metadata"]["name"])["metadata"][part]["forebay.dev/mark"] == "x"


async def test_somebody_elses_is_left_alone(kube, store):
    foreign = kube.put(given(WANTED["metadata"]["name"], key="AA=="))
    with pytest.raises(NameTakenError):
        await store.put(wanted(), foreign)


async def test_users_secrets_are_read_once(kube, store):
    kube.put(given("login", password="cGFzcw=="))
    for _ in range(2):
        assert await store.texts(HUB, ["news/login"], Depth.RECONCILE) == {"news/login": {"password": "pass"}}
    assert kube.requests["get", "secrets"] == 1


async def test_a_missing_one_is_looked_for_again(kube, store):
    assert await store.texts(HUB, ["news/login"], Depth.RECONCILE) == {}
    kube.put(given("login", password="cGFzcw=="))
    assert "news/login" in await store.texts(HUB, ["news/login"], Depth.RECONCILE)


async def test_verified_it_is_read_again(kube, store):
    kube.put(given("login", password="cGFzcw=="))
    await store.texts(HUB, ["news/login"], Depth.RECONCILE)
    kube.put(given("login", password="bmV3"))
    assert await store.texts(HUB, ["news/login"], Depth.VERIFY) == {"news/login": {"password": "new"}}
    kube.remove("Secret", "news", "login")
    assert await store.texts(HUB, ["news/login"], Depth.VERIFY) == {}


async def test_of_a_resource_that_is_gone_nothing_is_kept(kube, store):
    kube.put(given("login", password="cGFzcw=="))
    await store.texts(HUB, ["news/login"], Depth.RECONCILE)
    store.forget(HUB)
    kube.requests.clear()
    await store.texts(HUB, ["news/login"], Depth.RECONCILE)
    assert kube.requests["get", "secrets"] == 1


async def test_what_a_resource_does_not_need_any_more_is_not_kept(kube, store):
    kube.put(given("login", password="cGFzcw=="))
    await store.texts(HUB, ["news/login"], Depth.RECONCILE)
    await store.texts(HUB, [], Depth.RECONCILE)
    kube.requests.clear()
    await store.texts(HUB, ["news/login"], Depth.RECONCILE)
    assert kube.requests["get", "secrets"] == 1
