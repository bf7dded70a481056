"""helm install, kubectl apply, and news flows."""

import grpc
import pytest

from e2e.cluster import Cluster, until
from e2e.news import News
from e2e.release import Release
from eventually import eventually
from examples import example_articles
from forebay.client import Outcome


async def offer_all(news: News, outfeed: str) -> set[int]:
    """Offer the example articles; the outcomes that there were."""
    articles = [article.content for article in example_articles()]
    async with news.outfeed(outfeed) as client:
        return {verdict.outcome async for verdict in client.offer(articles)}


def test_helm_test_passes(release: Release, news: News):
    release.helm("test", release.name, "--timeout", "180s")


def test_every_resource_tells_its_generation_and_why_it_is_ready(news: News):
    for kind, name in (("spill", "main"), ("outfeed", "hub"), ("peerfeed", "east")):
        body = news.get(kind, name)
        assert body["status"]["observedGeneration"] == body["metadata"]["generation"]
        assert all(condition["reason"] for condition in body["status"]["conditions"])


def test_a_pod_feeds_another_through_the_service(news: News):
    with news.feeding("hub", 20, pod="west-outfeed-0") as feeding:
        outcomes = feeding.rest()
    assert len(outcomes) == 20
    assert set(outcomes.values()) == {str(Outcome.OUTCOME_ACCEPTED)}


async def test_the_receiving_pod_has_all_articles(news: News):
    assert await offer_all(news, "hub") <= {Outcome.OUTCOME_ACCEPTED, Outcome.OUTCOME_DUPLICATE}

    async def everywhere() -> bool:
        async with news.outfeed("hub") as client:
            (east,) = await client.peers("east")
        return not east.queue_length and not east.backlog.entries and east.counters.accepted >= len(example_articles())

    await eventually(everywhere, within=120, every=0.5)
    assert await offer_all(news, "east") == {Outcome.OUTCOME_DUPLICATE}


def test_nobody_without_a_certificate_is_heard(news: News):
    with news.cluster.forwarded("service/hub-outfeed", news.namespace, 7119) as port:
        channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        with pytest.raises(grpc.FutureTimeoutError):
            grpc.channel_ready_future(channel).result(timeout=5)
        channel.close()


def test_pods_run_as_the_restricted_standard_asks(news: News, cluster: Cluster):
    """Admission would have refused them otherwise; the server's own namespace label is what does it."""
    labels = cluster.json("get", "namespace", news.namespace)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    until(lambda: all(news.pod_ready(name) for name in ("hub-outfeed-0", "main-valkey-0")))
