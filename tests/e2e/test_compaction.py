"""Compactions run drivers and executors, by a stand-in for the Spark operator and as Jobs.

FOREBAY_SPARK_IMAGE names the image with Spark and the jobs; it has to be on the nodes, or where they can pull it.
"""

import os
import time
from collections.abc import Iterator

import pytest

from e2e.cluster import Body, Cluster, until
from e2e.conftest import SCRATCH
from e2e.news import News, condition
from e2e.release import Release
from eventually import eventually
from operatorsite import hub, peerfeed, resource
from sparkoperator import SparkOperator, spark_applications

ARTICLES = 400
MEGABYTE = 1_000_000
LONGEST_ID = 250
"""Octets that a message-id has at most."""
SMALL = {"driver": {"memory": "512MiB"}, "executor": {"memory": "512MiB"}}
ON_SPILL = {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}}
ON_OUTFEED = {"targetRef": {"kind": "Outfeed", "name": "hub"}}
PODS = "app.kubernetes.io/name=compaction"
FINAL = {"Succeeded", "Failed", "DeadlineExceeded", "Cancelled"}
RUN_SECONDS = 420
"""A run takes half a minute on an idle machine."""


@pytest.fixture(scope="session")
def spark_kind(release: Release, cluster: Cluster) -> Iterator[None]:
    """SparkApplications, until no test looks at the operator's log any more."""
    with spark_applications(cluster):
        yield


@pytest.fixture(scope="module")
def spilled(
    release: Release, cluster: Cluster, spark_kind: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[News]:
    """An Outfeed with a peer that is near, and one that is away: for it many small streams wait on a managed Spill."""
    repository, _, tag = os.environ.get("FOREBAY_SPARK_IMAGE", "localhost/forebay-spark:test").rpartition(":")
    release.values["spark"] = {"image": {"repository": repository, "tag": tag}}
    release.install()
    news = News(cluster, SCRATCH, tmp_path_factory.mktemp("spilled"))
    with SparkOperator(cluster, SCRATCH):
        small_streams = {"rotateBytes": "4KB", "rotateAge": "1s"}
        near = hub("near", listeners={"grpc": {"port": 7119}, "nntp": {"port": 7120}, "health": {"port": 7121}})
        loop = resource("Peerfeed", "near", outfeedRef={"name": "hub"}, target={"name": "near"})
        news.apply(*hub(), *near[1:], loop, peerfeed("away", backlog=small_streams))
        news.until_ready()
        for _ in range(3):
            with news.feeding("hub", ARTICLES // 3 + 1, pod="hub-outfeed-0") as feeding:
                feeding.rest()
            time.sleep(1.5)  # so that a stream is old enough to be closed by the next article
        yield news
        cluster("delete", "compactions,peerfeeds,outfeeds,spills", "--all", "-n", SCRATCH, "--timeout=120s")
    cluster("delete", "jobs,pvc", "--all", "-n", SCRATCH, "--wait=false")


async def backlog(news: News) -> tuple[int, int]:
    """Entries and streams that wait for the peer."""
    async with news.outfeed("hub") as client:
        (peer,) = await client.peers("away")
    return peer.backlog.entries, peer.backlog.segments


def start(news: News, name: str, **spec) -> None:
    news.apply(resource("Compaction", name, **{**SMALL, **spec}))


def status(news: News, name: str) -> Body:
    return dict(news.get("compaction", name).get("status", {}))


def last_run(news: News, name: str) -> Body:
    return dict(status(news, name).get("lastRun", {}))


def until_state(news: News, name: str, state: str, within: float = RUN_SECONDS) -> Body:
    """Wait until the newest run is so far; it."""

    def check() -> Body:
        run = last_run(news, name)
        if run.get("state") in FINAL - {state}:
            pytest.fail(f"{name}: {status(news, name)}")
        assert run.get("state") == state, status(news, name)
        return run

    return until(check, within)


def pods(news: News, component: str = "") -> list[Body]:
    more = f",app.kubernetes.io/component={component}" if component else ""
    return news.cluster.items("pods", news.namespace, "-l", PODS + more)


def is_degraded(news: News, name: str) -> tuple[str, str]:
    found = condition(news.get("compaction", name), "Degraded")
    return found["status"], found["reason"]


async def test_driver_and_executor_run_to_the_end_and_the_status_has_their_figures(spilled: News):
    entries, streams = await backlog(spilled)
    start(spilled, "once", **ON_SPILL)
    until(lambda: pods(spilled, "executor"), RUN_SECONDS)
    run = until_state(spilled, "once", "Succeeded")
    figures = run["figures"]
    assert figures["entriesIn"] > 0
    assert figures["entriesIn"] == figures["entriesOut"] + sum(figures["dropped"].values())

    async def fewer() -> bool:
        now = await backlog(spilled)
        return now[0] == entries and now[1] < streams

    # The service learns of it within seconds.
    await eventually(fewer, within=90, every=1)
    assert is_degraded(spilled, "once") == ("False", "AsExpected")


def test_figures_outlive_the_run(spilled: News):
    before = last_run(spilled, "once")
    spilled.cluster("delete", "sparkapplications.sparkoperator.k8s.io", before["name"], "-n", SCRATCH)
    until(lambda: not pods(spilled), 120)
    assert last_run(spilled, "once") == before


async def test_without_a_spark_operator_a_job_does_it(spilled: News):
    entries, _ = await backlog(spilled)
    start(spilled, "alone", engine="Job", **ON_SPILL)
    run = until_state(spilled, "alone", "Succeeded")
    assert run["figures"]["entriesIn"] > 0
    assert (await backlog(spilled))[0] == entries
    spilled.cluster("delete", "compaction", "alone", "-n", SCRATCH)


def test_the_volume_of_an_outfeed_is_verified(spilled: News):
    start(spilled, "verify", job="verify-messages", engine="Job", **ON_OUTFEED)
    run = until_state(spilled, "verify", "Succeeded")
    assert run["figures"]
    spilled.cluster("delete", "compaction", "verify", "-n", SCRATCH)


def test_a_suspended_one_starts_nothing_until_it_is_resumed(spilled: News):
    start(spilled, "often", schedule="* * * * *", suspend=True, engine="Job", **ON_SPILL)
    until(lambda: condition(spilled.get("compaction", "often"), "Ready").get("reason") == "Suspended")
    time.sleep(65)
    assert not last_run(spilled, "often")
    spilled.edit("compaction", "often", suspend=False)
    until(lambda: last_run(spilled, "often"), 120)
    spilled.cluster("delete", "compaction", "often", "-n", SCRATCH)
    until(lambda: not pods(spilled), 120)


def test_outcomes_become_parquet_and_then_a_page(spilled: News):
    # The log of outcomes has whole files when its service has ended.
    before = spilled.pods()["hub-outfeed-0"]
    spilled.cluster("delete", "pod", "hub-outfeed-0", "-n", SCRATCH)
    until(lambda: spilled.pod_ready("hub-outfeed-0", other_than=before))
    start(spilled, "outcomes", job="compact-outcomes", **ON_OUTFEED)
    figures = until_state(spilled, "outcomes", "Succeeded")["figures"]
    assert figures["entriesOut"] >= ARTICLES
    assert figures["entriesIn"] == figures["entriesOut"] + sum(figures["dropped"].values())
    start(spilled, "report", job="feed-report", engine="Job", **ON_OUTFEED)
    told = until_state(spilled, "report", "Succeeded")["figures"]
    assert told["outcomes"]["accepted"] >= ARTICLES
    page = spilled.cluster("exec", "hub-outfeed-0", "-n", SCRATCH, "--", "cat", "/var/lib/forebay/reports/hub.html")
    assert len(page.encode()) == told["bytesOut"]
    assert "near" in page
    assert "<svg" in page
    spilled.cluster("delete", "compactions", "outcomes", "report", "-n", SCRATCH)
    until(lambda: not pods(spilled), 120)


async def test_a_backlog_of_that_size_starts_a_run(spilled: News):
    start(spilled, "full", threshold={"size": "1MB"}, engine="Job", **ON_SPILL)
    until(lambda: condition(spilled.get("compaction", "full"), "Ready").get("reason") == "Watching")
    assert not last_run(spilled, "full")
    with spilled.feeding("hub", MEGABYTE // LONGEST_ID, pod="hub-outfeed-0", id_length=LONGEST_ID) as feeding:
        feeding.rest()
    run = until_state(spilled, "full", "Succeeded")
    assert (run["trigger"], run["figures"]["ownersFailed"]) == ("Threshold", 0)
    assert run["figures"]["entriesIn"] > ARTICLES
    spilled.cluster("delete", "compaction", "full", "-n", SCRATCH)
    until(lambda: not pods(spilled), 120)


def test_a_failing_run_is_tried_again_and_then_told(spilled: News):
    start(spilled, "failing", job="compact-outcomes", output="/proc/nowhere", retries=1, **ON_OUTFEED)
    run = until_state(spilled, "failing", "Failed", within=2 * RUN_SECONDS)
    assert run["attempts"] == 2
    assert is_degraded(spilled, "failing") == ("True", "RunFailed")
    message = condition(spilled.get("compaction", "failing"), "Degraded")["message"]
    assert "exit code 1" in message
    assert "/proc/nowhere" in message
    spilled.cluster("delete", "compaction", "failing", "-n", SCRATCH)
    until(lambda: not pods(spilled), 120)


async def test_deleted_in_the_middle_its_pods_go_and_the_data_stays(spilled: News):
    entries, _ = await backlog(spilled)
    start(spilled, "deleted", **ON_SPILL)
    until_state(spilled, "deleted", "Running")
    spilled.cluster("delete", "compaction", "deleted", "-n", SCRATCH, "--timeout=60s")
    until(lambda: not pods(spilled), 120)
    assert not spilled.cluster.items("sparkapplications.sparkoperator.k8s.io", SCRATCH, "-l", PODS)
    assert (await backlog(spilled))[0] == entries
