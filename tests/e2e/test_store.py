"""A Store and its queues on a real cluster: applied with kubectl, called through its Service."""

from collections.abc import Iterator

import grpc
import pytest

from e2e.cluster import Cluster, until
from e2e.conftest import SCRATCH
from e2e.news import News, condition
from e2e.release import Release
from forebay.pb.store.v1 import store_pb2 as pb
from kubeaccess import KubectlError
from operatorsite import EXAMPLES, resource
from storecalls import numbered, publish, queues, take

POD = "main-store-0"
MESSAGES = 500


@pytest.fixture(scope="module")
def shop(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """examples/store, Ready."""
    shop = News(cluster, SCRATCH, tmp_path_factory.mktemp("shop"))
    shop.apply_folder(EXAMPLES / "store")
    shop.until_ready()
    yield shop
    cluster("delete", "stores,storequeues,pvc", "--all", "-n", SCRATCH, "--timeout=120s")


def storequeue(name: str, **spec: object) -> dict[str, object]:
    return resource("StoreQueue", name, storeRef={"name": "main"}, **spec)


async def published(shop: News, address: str, bodies: list[bytes]) -> set[int]:
    """Publish messages; the outcomes that there were."""
    async with shop.store("main") as channel:
        return set(await publish(channel, address, bodies))


async def taken(shop: News, queue: str) -> list[bytes]:
    async with shop.store("main") as channel:
        return await take(channel, queue)


def replaced(shop: News, before: str) -> None:
    """Wait until the pod is another, and all is Ready again."""
    until(lambda: shop.pod_ready(POD, other_than=before))
    shop.until_ready()


def test_every_resource_tells_its_generation_and_why_it_is_ready(shop: News):
    for kind, name in (("store", "main"), ("storequeue", "orders"), ("storequeue", "jobs"), ("storequeue", "rejects")):
        body = shop.get(kind, name)
        assert body["status"]["observedGeneration"] == body["metadata"]["generation"]
        assert condition(body, "Ready")["reason"] == "Applied"


def test_kubectl_prints_readiness_and_messages(shop: News):
    head, *rows = shop.cluster("get", "sq", "-n", shop.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "MESSAGES", "UNACKED", "AGE"]
    assert [row.split()[:3] for row in rows] == [[name, "True", "Applied"] for name in ("jobs", "orders", "rejects")]


async def test_what_is_published_through_the_service_can_be_taken(shop: News):
    assert await published(shop, "orders.eu.new", numbered(MESSAGES)) == {pb.OUTCOME_CONFIRMED}
    assert await published(shop, "nowhere", numbered(1)) == {pb.OUTCOME_UNROUTED}
    assert await taken(shop, "orders") == numbered(MESSAGES)


async def test_an_edit_of_a_queue_is_live(shop: News):
    pods = shop.pods()
    shop.edit("storequeue", "orders", maxLength=3, overflow="RejectPublish")
    shop.until_ready()
    assert await published(shop, "orders", numbered(3)) == {pb.OUTCOME_CONFIRMED}
    assert await published(shop, "orders", numbered(1, first=3)) == {pb.OUTCOME_REFUSED}
    shop.edit("storequeue", "orders", maxLength=None, overflow=None)
    shop.until_ready()
    assert await published(shop, "orders", numbered(1, first=3)) == {pb.OUTCOME_CONFIRMED}
    assert await taken(shop, "orders") == numbered(4)
    assert shop.pods() == pods


async def test_an_edit_that_the_service_refuses_is_a_condition_and_others_go_on(shop: News):
    shop.apply(storequeue("wrong", implementation="own"))

    def refused() -> str:
        ready = condition(shop.get("storequeue", "wrong"), "Ready")
        assert (ready.get("status"), ready.get("reason")) == ("False", "Refused"), ready
        return str(ready["message"])

    assert "spec.implementation" in until(refused)
    assert await published(shop, "orders", numbered(1)) == {pb.OUTCOME_CONFIRMED}
    assert await taken(shop, "orders") == numbered(1)
    shop.cluster("delete", "storequeue", "wrong", "-n", shop.namespace, "--timeout=60s")
    shop.until_ready()


@pytest.mark.parametrize(
    ("name", "spec", "field"),
    [
        ("orders", {"durable": False}, "durable"),
        ("jobs", {"maxPriority": 3}, "maxPriority"),
        ("orders", {"bindings": ["a b"]}, "bindings"),
        ("orders", {"overflow": "RejectPublishDeadLetter"}, "deadLetter"),
        ("orders", {"ttl": "5"}, "ttl"),
    ],
)
def test_a_wrong_edit_is_refused_by_the_name_of_its_field(shop: News, name: str, spec: dict, field: str):
    with pytest.raises(KubectlError, match=field):
        shop.edit("storequeue", name, **spec)
    shop.until_ready()


@pytest.mark.parametrize("grace", [0, 45], ids=["killed", "deleted"])
async def test_messages_outlive_their_pod(shop: News, grace: int):
    assert await published(shop, "orders.eu", numbered(MESSAGES)) == {pb.OUTCOME_CONFIRMED}
    before = shop.pods()[POD]
    force = ["--force"] if grace == 0 else []
    shop.cluster("delete", "pod", POD, "-n", shop.namespace, f"--grace-period={grace}", *force, "--wait=false")
    replaced(shop, before)
    assert await taken(shop, "orders") == numbered(MESSAGES)


async def test_a_deleted_queue_takes_its_messages_with_it(shop: News):
    shop.apply(storequeue("passing"))
    shop.until_ready()
    assert await published(shop, "passing", numbered(5)) == {pb.OUTCOME_CONFIRMED}
    shop.cluster("delete", "storequeue", "passing", "-n", shop.namespace, "--timeout=60s")
    shop.apply(storequeue("passing"))
    shop.until_ready()
    assert await taken(shop, "passing") == []
    async with shop.store("main") as channel:
        assert {"jobs", "orders", "passing", "rejects"} == set(await queues(channel))
    shop.cluster("delete", "storequeue", "passing", "-n", shop.namespace, "--timeout=60s")


def test_nobody_without_a_certificate_is_heard(shop: News):
    with shop.cluster.forwarded("service/main-store", shop.namespace, "grpc") as port:
        channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        with pytest.raises(grpc.FutureTimeoutError):
            grpc.channel_ready_future(channel).result(timeout=5)
        channel.close()


async def test_messages_outlive_their_store(shop: News):
    assert await published(shop, "orders.eu", numbered(10)) == {pb.OUTCOME_CONFIRMED}
    shop.cluster("delete", "store", "main", "-n", shop.namespace, "--timeout=60s")
    until(lambda: not shop.cluster.exists("pod", POD, "-n", shop.namespace))
    assert shop.cluster.exists("pvc", f"data-{POD}", "-n", shop.namespace)
    shop.apply_folder(EXAMPLES / "store")
    shop.until_ready()
    assert await taken(shop, "orders") == numbered(10)
