"""Pods and the operator are killed in the middle of a feed; what was confirmed arrives."""

import pytest

from e2e.cluster import until
from e2e.news import News
from e2e.release import Release
from eventually import eventually
from forebay.client import Outcome

ACCEPTED = str(Outcome.OUTCOME_ACCEPTED)
TAKEN = {ACCEPTED, str(Outcome.OUTCOME_DUPLICATE)}
"""A duplicate is one whose first confirmation got lost."""


@pytest.fixture
def articles(scale: int) -> int:
    return 5000 * scale


async def all_arrive(news: News, outcomes: dict[str, str]) -> None:
    """Whatever was confirmed gets to `east`: `hub` has nothing left for it, and `east` knows every message-id."""
    assert set(outcomes.values()) <= TAKEN

    async def drained() -> bool:
        async with news.outfeed("hub") as client:
            (east,) = await client.peers("east")
        return not east.queue_length and not east.backlog.entries and not any(c.in_flight for c in east.connections)

    await eventually(drained, within=240, every=1)
    async with news.outfeed("east") as client:
        verdicts = [verdict async for verdict in client.offer([stub(message_id) for message_id in outcomes])]
    assert {verdict.outcome for verdict in verdicts} == {Outcome.OUTCOME_DUPLICATE}


def stub(message_id: str) -> bytes:
    """An article of that message-id; what else it holds is not looked at where it is a duplicate."""
    head = "Path: e2e!not\r\nFrom: a@b.example\r\nNewsgroups: misc.test\r\nSubject: stub\r\n"
    return f"{head}Message-ID: {message_id}\r\nDate: Fri, 27 Nov 2026 12:00:00 +0000\r\n\r\nHello.\r\n".encode()


@pytest.mark.parametrize("pod", ["hub-outfeed-0", "east-outfeed-0", "main-valkey-0"])
@pytest.mark.parametrize("grace", [0, 45], ids=["killed", "deleted"])
async def test_a_pod_goes_in_the_middle_of_a_feed(news: News, articles: int, pod: str, grace: int):
    before = news.pods()[pod]
    with news.feeding("hub", articles, pod="west-outfeed-0") as feeding:
        feeding.until(articles // 5)
        force = ["--force"] if grace == 0 else []
        news.cluster("delete", "pod", pod, "-n", news.namespace, f"--grace-period={grace}", *force, "--wait=false")
        outcomes = feeding.rest()
    assert len(outcomes) == articles
    until(lambda: news.pod_ready(pod, other_than=before))
    news.until_ready()
    await all_arrive(news, outcomes)


def test_the_operator_is_killed_while_it_reconciles(news: News, release: Release):
    for number in range(3):
        news.edit("peerfeed", "west", window=200 + number)
        release.cluster(
            "delete", "pods", "-n", release.name, "-l", "app.kubernetes.io/name=forebay-operator", "--force"
        )
    news.until_ready()
    release.wait_for_operator()
    assert news.get("peerfeed", "west")["spec"]["window"] == 202
