"""A Store with two mirrors on a real cluster: its primary's pod goes, and what was confirmed stays."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from grpc.aio import Channel

from e2e.cluster import Cluster, until
from e2e.conftest import SCRATCH
from e2e.news import News, condition
from e2e.release import Release
from e2e.severing import severed
from e2e.storeclient import StoreClient, client_in
from eventually import eventually
from forebay.pb.store.v1 import store_pb2 as pb
from kubeaccess import KubectlError
from operatorsite import resource
from storecalls import numbered, publish, queues, take

NAME = "trio"
PODS = [f"{NAME}-store-{ordinal}" for ordinal in range(3)]
PORT = 7672
EVERYBODY = {"principal": "*", "methods": ["StoreService/*"]}
"""Which leaves the mirrors to the pods themselves."""
SOME = 100


@pytest.fixture(scope="module")
def trio(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """It, with the queue `orders`."""
    trio = News(cluster, SCRATCH, tmp_path_factory.mktemp("trio"))
    trio.apply(
        resource("Store", NAME, mirrors=2, clients=["kubectl"], access=[EVERYBODY]),
        resource("StoreQueue", "orders", storeRef={"name": NAME}),
    )
    yield trio
    cluster("delete", "stores,storequeues,pvc", "--all", "-n", SCRATCH, "--timeout=120s")


@pytest.fixture
def whole(trio: News) -> News:
    """All pods have everything."""
    trio.until_ready()
    until_whole(trio)
    return trio


def lease(trio: News) -> tuple[str, list[str]]:
    """The primary, and who may be the next."""
    body = trio.get("lease", f"{NAME}-store")
    return body["spec"]["holderIdentity"], body["metadata"]["annotations"]["forebay.dev/note"].split(",")


def until_whole(trio: News) -> None:
    until(lambda: set(lease(trio)[1]) == set(PODS), 120)


def door(trio: News) -> str:
    """Where clients come in."""
    return f"{NAME}-store.{trio.namespace}.svc:{PORT}"


def led_by_another(trio: News, than: str) -> str:
    return until(lambda: next((name for name in lease(trio)[:1] if name not in ("", than)), ""), 60)


async def left(trio: News) -> list[int]:
    """Take everything from the queue, once no consumer holds anything of it."""
    async with trio.store(NAME, pod=lease(trio)[0]) as channel:
        await eventually(lambda: no_consumer(channel), within=60)
        found: list[int] = []
        while bodies := await take(channel, "orders"):
            found += map(int, bodies)
        return found


async def no_consumer(channel: Channel) -> bool:
    return not (await queues(channel))["orders"].consumers


@contextmanager
def unreplaced(trio: News) -> Iterator[None]:
    """No pod that is gone comes back meanwhile."""
    nodes = [item["metadata"]["name"] for item in trio.cluster.json("get", "nodes")["items"]]
    trio.cluster("cordon", *nodes)
    try:
        yield
    finally:
        trio.cluster("uncordon", *nodes)


def work(client: StoreClient) -> None:
    """Wait until messages go in and out, from now on."""
    begun = time.time()
    client.until("confirmed", SOME, begun)
    client.until("settled", SOME, begun)


def test_the_status_tells_who_is_primary_and_who_has_everything(whole: News):
    primary, _ = lease(whole)

    def told() -> bool:
        body = whole.get("store", NAME)
        status = body["status"]
        assert (status.get("primary"), status.get("inSync")) == (primary, "3/3"), status
        assert set(status["members"]) == set(PODS)
        assert condition(body, "Degraded")["status"] == "False"
        return True

    until(told)
    head, row = whole.cluster("get", "store", NAME, "-n", whole.namespace, "-o", "wide").splitlines()
    assert "IN SYNC" in head
    assert {"3/3", primary} <= set(row.split())


@pytest.mark.parametrize("options", [("--grace-period=0", "--force"), ("--wait=false",)], ids=["killed", "deleted"])
async def test_messages_go_on_and_nothing_is_lost_or_comes_back_when_the_pod_of_the_primary_goes(
    whole: News, options: Sequence[str]
):
    primary, _ = lease(whole)
    with client_in(whole, next(pod for pod in PODS if pod != primary), door(whole)) as client:
        work(client)
        with unreplaced(whole):
            whole.cluster("delete", "pod", primary, "-n", SCRATCH, *options)
            led_by_another(whole, primary)
            work(client)
        client.end()
    print(f"confirms paused for {client.pause():.1f} s")  # noqa: T201 - the goal is 10 s
    client.judge(await left(whole))


async def test_a_primary_that_is_cut_off_confirms_nothing_that_the_next_one_lacks(whole: News):
    """Its client is beside it, in the same pod, and goes on talking to it."""
    primary, _ = lease(whole)
    with client_in(whole, primary, f"{NAME}-store.{whole.namespace}.svc@127.0.0.1:{PORT}") as client:
        work(client)
        with severed(whole.get("pod", primary)["metadata"]["uid"]):
            led_by_another(whole, primary)
            client.join()  # the primary has ended, and its container with it
            kept = await left(whole)
    client.judge(kept)


async def test_the_first_mirrors_get_what_there_is_and_later_ones_restart_nothing(trio: News):
    trio.apply(
        resource("Store", "grown", clients=["kubectl"]),
        resource("StoreQueue", "jobs", storeRef={"name": "grown"}),
    )
    trio.until_ready()
    async with trio.store("grown") as channel:
        assert set(await publish(channel, "jobs", numbered(SOME))) == {pb.OUTCOME_CONFIRMED}
    grow(trio, 1)
    pods = trio.pods()
    grow(trio, 2)
    assert pods.items() <= trio.pods().items()
    with pytest.raises(KubectlError, match=r"mirrors.*back to 0"):
        trio.edit("store", "grown", mirrors=0)
    async with trio.store("grown", pod=trio.get("store", "grown")["status"]["primary"]) as channel:
        assert await take(channel, "jobs") == numbered(SOME)


def grow(news: News, mirrors: int) -> None:
    news.edit("store", "grown", mirrors=mirrors)
    until(lambda: news.get("store", "grown")["status"].get("inSync") == f"{mirrors + 1}/{mirrors + 1}")
    news.until_ready()
