"""An Announcer and its Forwarders on a real cluster: announced to from pods over HTTP and UDP, through its Service."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.cluster import Cluster, until
from e2e.conftest import SCRATCH
from e2e.helperpod import helper_pod, helper_service
from e2e.news import News, condition
from e2e.release import Release
from eventually import eventually
from forebay.announcer.lasting.snapshotfile import NAME
from kubeaccess import KubectlError
from operatorsite import forwarder, resource, tracker

CLIENT = Path(__file__).parents[1] / "announceclient.py"
SCRIPTED = Path(__file__).with_name("scriptedtracker.py")
POD = "swarm-announcer-0"
PORT, SCRIPTED_PORT = 6969, 8080
NEAR, FAR = "near", "far"
"""Pods of clients."""
RESOURCES = "announcers,forwarders,spills"
SNAPSHOT = f"/var/lib/forebay/announcer/{SCRATCH}.swarm/{NAME}"
PUT_OFF_SECONDS = 60
"""What the scripted tracker tells clients to wait."""


@pytest.fixture(scope="module")
def swarm(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """An Announcer with a Spill, Ready; it passes on to another one, to a scripted tracker, and to one that is not."""
    news = News(cluster, SCRATCH, tmp_path_factory.mktemp("swarm"))
    pods = [helper_pod(release, name) for name in (NEAR, FAR)]
    scripted = helper_pod(release, "scripted", SCRIPTED, SCRIPTED_PORT), helper_service("scripted", SCRIPTED_PORT)
    news.apply(*pods, *scripted, resource("Spill", "main", managed={"storage": "1GiB"}), tracker("upstream"))
    news.apply(tracker(spillRef={"name": "main"}))
    news.until_ready()
    until(lambda: all(news.pod_ready(name) for name in (NEAR, FAR, "scripted")))
    news.apply(
        forwarder("upstream", f"udp://upstream-announce.{SCRATCH}.svc:{PORT}/announce"),
        forwarder("scripted", f"http://scripted.{SCRATCH}.svc:{SCRIPTED_PORT}/announce"),
        forwarder("late", f"http://late-announce.{SCRATCH}.svc.cluster.local:{PORT}/announce"),
    )
    news.until_ready()
    yield news
    cluster("delete", RESOURCES, "--all", "-n", SCRATCH, "--timeout=120s")
    cluster("delete", "pods", NEAR, FAR, "scripted", "-n", SCRATCH, "--timeout=120s")
    cluster("delete", "service", "scripted", "-n", SCRATCH, "--timeout=120s")
    cluster("delete", "pvc", "--all", "-n", SCRATCH, "--timeout=120s")


def torrent(name: str) -> bytes:
    """An info hash of its own."""
    return name.encode().ljust(20, b".")


def asked(swarm: News, pod: str, *arguments: object) -> Any:
    """What the client program in a pod prints."""
    command = ["python3", "-c", CLIENT.read_text(), *map(str, arguments)]
    return json.loads(swarm.cluster("exec", "-n", swarm.namespace, pod, "--", *command))


def url(scheme: str, name: str = "swarm") -> str:
    """Where clients announce: the Service."""
    return f"{scheme}://{name}-announce.{SCRATCH}.svc:{PORT}/announce"


def announced(swarm: News, pod: str, scheme: str, info_hash: bytes, port: int) -> Any:
    """Announce from a pod; the answer."""
    answer = asked(swarm, pod, url(scheme), info_hash.hex(), f"{pod}-{port}", port)
    assert "failure" not in answer, answer
    return answer


def size(swarm: News, scheme: str, info_hash: bytes) -> int:
    """How many lack something of a torrent, by a scrape."""
    return int(asked(swarm, NEAR, url(scheme), info_hash.hex())["incomplete"])


def address(swarm: News, pod: str) -> str:
    return str(swarm.get("pod", pod)["status"]["podIP"])


def scripted_requests(swarm: News, info_hash: bytes) -> list[float]:
    """When the scripted tracker was told of a torrent."""
    code = f"import urllib.request as r; print(r.urlopen('http://127.0.0.1:{SCRIPTED_PORT}/requests').read().decode())"
    found = json.loads(swarm.cluster("exec", "-n", swarm.namespace, "scripted", "--", "python3", "-c", code))
    return [moment for moment, known in found if known == info_hash.hex()]


async def hashes(swarm: News, name: str) -> set[bytes]:
    """The torrents that an Announcer tracks."""
    async with swarm.announcer(name) as client:
        return {each.info_hash async for each in client.swarms()}


def test_every_resource_tells_its_generation_and_why_it_is_ready(swarm: News):
    for kind, name in (("announcer", "swarm"), ("announcer", "upstream"), ("forwarder", "upstream")):
        body = swarm.get(kind, name)
        assert body["status"]["observedGeneration"] == body["metadata"]["generation"]
        assert condition(body, "Ready")["reason"] == "Applied"


def test_kubectl_prints_what_is_tracked_and_how_trackers_fare(swarm: News):
    head, *rows = swarm.cluster("get", "an", "-n", swarm.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "TORRENTS", "PEERS", "AGE"]
    assert {row.split()[0] for row in rows} == {"swarm", "upstream"}
    head, *rows = swarm.cluster("get", "fw", "-n", swarm.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "STATE", "ANSWERS", "AGE"]
    assert {tuple(row.split()[:3]) for row in rows} == {
        (name, "True", "Applied") for name in ("late", "scripted", "upstream")
    }


def test_clients_from_outside_come_in_by_a_service_that_keeps_their_addresses(swarm: News):
    spec = swarm.get("service", "swarm-announce")["spec"]
    assert (spec["type"], spec["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    assert {(each["protocol"], each["port"]) for each in spec["ports"]} == {("TCP", PORT), ("UDP", PORT)}
    assert all(each["nodePort"] for each in spec["ports"])


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_clients_in_pods_find_each_other_by_their_own_addresses(swarm: News, scheme: str):
    info_hash = torrent(f"found-{scheme}")
    assert announced(swarm, NEAR, scheme, info_hash, 1001)["peers"] == []
    answer = announced(swarm, FAR, scheme, info_hash, 1002)
    assert answer["peers"] == [f"{address(swarm, NEAR)}:1001"]
    assert size(swarm, scheme, info_hash) == 2
    assert info_hash in await hashes(swarm, "swarm")


@pytest.mark.parametrize("scheme", ["http", "udp"])
async def test_what_is_announced_reaches_the_trackers_behind(swarm: News, scheme: str):
    info_hash = torrent(f"passed-on-{scheme}")
    announced(swarm, NEAR, scheme, info_hash, 2001)

    async def arrived() -> bool:
        return info_hash in await hashes(swarm, "upstream") and bool(scripted_requests(swarm, info_hash))

    await eventually(arrived, within=60, every=1)


async def test_a_tracker_without_a_name_is_disabled_until_it_is_there_and_enabled(swarm: News):
    announced(swarm, NEAR, "http", torrent("in-vain"), 3001)

    def disabled() -> bool:
        found = condition(swarm.get("forwarder", "late"), "Disabled")
        assert (found["status"], found["reason"]) == ("True", "NameUnknown"), found
        return True

    until(disabled, within=120)
    degraded = condition(swarm.get("announcer", "swarm"), "Degraded")
    assert (degraded["status"], degraded["reason"]) == ("True", "ForwarderDisabled")
    assert "late: " in degraded["message"]
    swarm.apply(tracker("late"))
    swarm.until_ready()
    numbers = iter(range(3002, 3100))

    async def served() -> bool:
        # The cluster's name server may have kept for a moment that there is no such name.
        async with swarm.announcer("swarm") as client:
            await client.enable("late")
        info_hash = torrent(f"late-{next(numbers)}")
        announced(swarm, NEAR, "http", info_hash, 3001)
        return await eventually(lambda: arrived(info_hash), within=10, every=1)

    async def arrived(info_hash: bytes) -> bool:
        assert info_hash in await hashes(swarm, "late")
        return True

    await eventually(served, within=180, every=2)
    until(lambda: condition(swarm.get("forwarder", "late"), "Disabled")["status"] == "False", within=60)
    # Figures alone are written once a minute.
    until(lambda: swarm.get("forwarder", "late")["status"]["answers"] > 0, within=120)
    assert swarm.get("forwarder", "late")["status"]["state"] == "Enabled"


def test_an_edit_is_live(swarm: News):
    pods = swarm.pods()
    swarm.edit("announcer", "swarm", announces={"interval": "20m"})
    swarm.edit("forwarder", "late", pause=True)
    swarm.until_ready()
    assert announced(swarm, NEAR, "http", torrent("edited"), 4001)["interval"] == 1200
    until(lambda: swarm.get("forwarder", "late")["status"]["state"] == "Paused", within=60)
    assert swarm.pods() == pods


@pytest.mark.parametrize(
    ("kind", "spec", "field"),
    [
        ("announcer", {"spillRef": None}, "spillRef"),
        ("announcer", {"announces": {"numwant": 201}}, "numwant"),
        ("announcer", {"torrents": {"infoHashes": ["c0ffee"]}}, "infoHashes"),
        ("forwarder", {"announcerRef": {"name": "other"}}, "announcerRef"),
        ("forwarder", {"url": "ftp://tracker.example/"}, "url"),
    ],
)
def test_a_wrong_edit_is_refused_by_the_name_of_its_field(swarm: News, kind: str, spec: dict, field: str):
    with pytest.raises(KubectlError, match=field):
        swarm.edit(kind, {"announcer": "swarm", "forwarder": "upstream"}[kind], **spec)
    swarm.until_ready()


@pytest.mark.parametrize("grace", [0, 45], ids=["killed", "deleted"])
async def test_swarms_and_scheduled_jobs_outlive_their_pod(swarm: News, grace: int):
    info_hash = torrent(f"lasting-{grace}")
    announced(swarm, NEAR, "udp", info_hash, 5001)
    [first] = until(lambda: scripted_requests(swarm, info_hash), within=60)
    await eventually(lambda: is_scheduled(swarm, info_hash), within=60, every=1)
    # One that was begun before may end later by a moment.
    until(lambda: snapshot(swarm) > first + 1, within=60)
    before = swarm.pods()[POD]
    force = ["--force"] if grace == 0 else []
    swarm.cluster("delete", "pod", POD, "-n", swarm.namespace, f"--grace-period={grace}", *force, "--wait=false")
    until(lambda: swarm.pod_ready(POD, other_than=before))
    swarm.until_ready()
    # The Service leads to the new pod a moment after that is ready; until then nobody takes the connection.
    assert until(lambda: [size(swarm, "http", info_hash)]) == [1]
    requests = until(lambda: len(found := scripted_requests(swarm, info_hash)) > 1 and found, within=240)
    assert requests[1] - first > PUT_OFF_SECONDS - 1
    assert len(requests) == 2


async def is_scheduled(swarm: News, info_hash: bytes) -> bool:
    async with swarm.announcer("swarm") as client:
        queue = await client.queue()
    return info_hash in [each.info_hash for each in queue.next_scheduled]


def snapshot(swarm: News) -> float:
    """When the swarms were written last, in seconds since the epoch."""
    code = f"import os; print(os.stat('{SNAPSHOT}').st_mtime)"
    return float(swarm.cluster("exec", "-n", swarm.namespace, POD, "--", "python3", "-c", code))


def test_what_a_deleted_announcer_left_on_its_spill_is_purged(swarm: News):
    uid = swarm.get("announcer", "swarm")["metadata"]["uid"]
    assert uid in users(swarm)
    swarm.cluster("delete", "announcer", "swarm", "-n", swarm.namespace, "--timeout=60s")
    until(lambda: uid not in users(swarm), within=240)
    assert condition(swarm.get("forwarder", "upstream"), "Ready")["reason"] == "ParentMissing"
    assert swarm.cluster.exists("pvc", f"data-{POD}", "-n", swarm.namespace)
    assert not swarm.cluster.exists("service", "swarm-announce", "-n", swarm.namespace)


def users(swarm: News) -> set[str]:
    """The uids of the services that the Spill knows."""
    return {service["uid"] for service in swarm.get("spill", "main").get("status", {}).get("services", [])}
