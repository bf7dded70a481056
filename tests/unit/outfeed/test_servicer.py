"""OutfeedService: requests in, answers out, without a socket."""

import asyncio

import pytest

from eventually import eventually
from fakeclock import FakeClock, settle
from forebay.outfeed.errors import IntakeFullError
from forebay.outfeed.incoming.intake import Judged, Verdict
from forebay.outfeed.peering.peer import PAUSED_BY_CALL
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.servicer import BATCHES_IN_WORK, LARGEST_PAGE, OutfeedServicer, _runs, explanation
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)
from manifests import peer_options
from onepeer import IDLE
from storerooms import content

ACCEPTED, DUPLICATE, NO_PEER, REJECTED = (Judged(verdict) for verdict in Verdict)


class Intake:
    """A masterfeed that judges a batch when the test opens its gate."""

    def __init__(self):
        self.offered = []
        self.gates = []

    async def offer(self, contents, *, wire):
        assert not wire
        self.offered.append(list(contents))
        self.gates.append(asyncio.get_running_loop().create_future())
        await self.gates[-1]
        return [ACCEPTED] * len(contents)

    def open(self, *places):
        for place in places:
            self.gates[place].set_result(None)


class Requests:
    """A stream of batches of two articles; `end` ends it."""

    def __init__(self, count, *, open_end=False):
        self.left = list(range(count))
        self.open_end = asyncio.Event()
        if not open_end:
            self.open_end.set()
        self.read = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            await self.open_end.wait()
            raise StopAsyncIteration
        number = self.left.pop(0)
        self.read += 1
        articles = [pb.Article(content=b"%d" % (2 * number + place)) for place in range(2)]
        return pb.OfferRequest(first=2 * number, articles=articles)


@pytest.fixture
async def intake():
    return Intake()


@pytest.fixture
async def servicer(intake):
    servicer = OutfeedServicer(FakeClock())
    servicer.masterfeed = intake
    return servicer


@pytest.fixture
async def configured(house):
    """A servicer of an outfeed with the peers a and b."""
    await house.add("a", "b")
    servicer = OutfeedServicer(house.clock)
    servicer.masterfeed, servicer.peers = house.masterfeed, house.peers
    return servicer


async def gather(responses, into):
    async for response in responses:
        into.append(response)


def ranges(responses):
    return [(verdict.first, verdict.count, verdict.outcome) for each in responses for verdict in each.verdicts]


# Offer


async def test_batches_are_answered_in_their_order_whichever_is_kept_first(servicer, intake):
    responses = []
    work = asyncio.ensure_future(gather(servicer.Offer(Requests(3), None), responses))
    await settle()
    assert intake.offered == [[b"0", b"1"], [b"2", b"3"], [b"4", b"5"]]
    intake.open(1, 2)
    await settle()
    assert responses == []
    intake.open(0)
    await work
    assert ranges(responses) == [(first, 2, pb.OUTCOME_ACCEPTED) for first in (0, 2, 4)]


async def test_a_batch_is_answered_though_no_other_follows(servicer, intake):
    responses = []
    requests = Requests(1, open_end=True)
    work = asyncio.ensure_future(gather(servicer.Offer(requests, None), responses))
    await settle()
    intake.open(0)
    await settle()
    assert len(responses) == 1
    requests.open_end.set()
    await work


async def test_so_many_batches_are_read_ahead_and_no_more(servicer, intake):
    requests = Requests(BATCHES_IN_WORK + 5)
    responses = []
    work = asyncio.ensure_future(gather(servicer.Offer(requests, None), responses))
    await settle()
    assert len(intake.offered) == BATCHES_IN_WORK
    intake.open(0)
    await settle()
    assert len(intake.offered) == BATCHES_IN_WORK + 1
    while len(responses) < BATCHES_IN_WORK + 5:
        intake.open(*[place for place, gate in enumerate(intake.gates) if not gate.done()])
        await settle()
    await work


async def test_an_empty_stream_ends(servicer):
    responses = []
    await gather(servicer.Offer(Requests(0), None), responses)
    assert responses == []


async def test_without_room_the_stream_ends_and_says_when_to_come_back(servicer, intake):
    work = asyncio.ensure_future(gather(servicer.Offer(Requests(2), None), []))
    await settle()
    intake.gates[0].set_exception(IntakeFullError("the log is full"))
    with pytest.raises(ResourceExhaustedError, match="the log is full") as refused:
        await work
    assert (refused.value.reason, refused.value.retry_after) == ("INTAKE_FULL", 5.0)
    await settle()
    assert intake.gates[1].cancelled()


async def test_a_sender_that_hangs_up_ends_the_work(servicer, intake):
    work = asyncio.ensure_future(gather(servicer.Offer(Requests(2, open_end=True), None), []))
    await settle()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await settle()
    assert [gate.cancelled() for gate in intake.gates] == [True, True]


async def test_a_fault_of_the_stream_comes_after_the_answers_to_what_was_read(servicer, intake):
    async def broken():
        async for request in Requests(1):
            yield request
        raise ConnectionError("gone")

    responses = []
    work = asyncio.ensure_future(gather(servicer.Offer(broken(), None), responses))
    await settle()
    intake.open(0)
    with pytest.raises(ConnectionError):
        await work
    assert len(responses) == 1


def test_verdicts_are_runs_of_equal_outcomes_and_rejections_stand_alone():
    bad = Judged(Verdict.REJECTED, "header Date is no date", b"<x@y>")
    runs = list(_runs(10, [ACCEPTED, ACCEPTED, DUPLICATE, bad, bad, NO_PEER, ACCEPTED]))
    assert [(run.first, run.count, run.outcome) for run in runs] == [
        (10, 2, pb.OUTCOME_ACCEPTED),
        (12, 1, pb.OUTCOME_DUPLICATE),
        (13, 1, pb.OUTCOME_REJECTED),
        (14, 1, pb.OUTCOME_REJECTED),
        (15, 1, pb.OUTCOME_NO_PEER),
        (16, 1, pb.OUTCOME_ACCEPTED),
    ]
    assert {(run.reason, run.message_id) for run in runs if run.reason} == {("header Date is no date", "<x@y>")}


# Explain


async def test_an_explanation_tells_for_each_peer_why_not(house):
    await house.apply(peer_options("b", groups=["comp.*"]), peer_options("a"))
    explained = explanation(house.masterfeed, house.peers, content("one"))
    assert (explained.outcome, explained.message_id) == (pb.OUTCOME_ACCEPTED, "<one@example.org>")
    assert [(peer.peer, peer.wanted, peer.rule) for peer in explained.peers] == [
        ("a", True, ""),
        ("b", False, "groups"),
    ]
    assert explained.peers[1].detail


async def test_a_rejected_article_is_explained_by_its_reason_alone(house):
    await house.add("a")
    explained = explanation(house.masterfeed, house.peers, b"nonsense\r\n")
    assert explained.outcome == pb.OUTCOME_REJECTED
    assert explained.reason
    assert not explained.peers


async def test_what_holds_a_wanted_article_up_is_told(house):
    await house.apply(
        peer_options("delayed", delay="1m"),
        peer_options("paused", pause=True),
        peer_options("stopped"),
        peer_options("night", hours={"windows": [{"start": "00:00", "end": "00:01"}]}),
    )
    house.peers["stopped"].pause()
    house.clock.advance(3600)
    explained = explanation(house.masterfeed, house.peers, content("one"))
    assert all(peer.wanted for peer in explained.peers)
    assert {peer.peer: peer.rule for peer in explained.peers} == {
        "delayed": "delay",
        "night": "hours",
        "paused": "pause",
        "stopped": "",
    }
    assert PAUSED_BY_CALL in explained.peers[-1].detail


async def test_an_article_that_is_kept_is_explained_by_its_message_id(configured, house):
    await house.offer("one")
    request = pb.ExplainRequest(message_id="<one@example.org>")
    explained = await configured.Explain(request, None)
    assert (explained.message_id, explained.outcome) == ("<one@example.org>", pb.OUTCOME_DUPLICATE)
    assert [peer.peer for peer in explained.peers] == ["a", "b"]


async def test_an_article_that_is_not_kept_cannot_be_explained_by_its_message_id(configured):
    with pytest.raises(NotFoundError, match="explain its headers instead"):
        await configured.Explain(pb.ExplainRequest(message_id="<one@example.org>"), None)


async def test_refusals_are_those_of_all_peers_or_of_those_asked_for(configured, house):
    house.peers["b"].feed.replies.add(Outcome.REJECTED, "439 no", 3)
    everyone = await configured.ListRefusals(pb.ListRefusalsRequest(), None)
    assert [(peer.peer, len(peer.refusals)) for peer in everyone.peers] == [("a", 0), ("b", 1)]
    some = await configured.ListRefusals(pb.ListRefusalsRequest(peers=["a"]), None)
    assert [peer.peer for peer in some.peers] == ["a"]
    with pytest.raises(NotFoundError):
        await configured.ListRefusals(pb.ListRefusalsRequest(peers=["c"]), None)


async def test_explaining_keeps_nothing(configured, house):
    await configured.Explain(pb.ExplainRequest(article=pb.Article(content=content("one"))), None)
    (judged,) = await house.offer("one")
    assert judged.verdict is Verdict.ACCEPTED


# Peers


async def test_all_peers_are_listed_or_those_asked_for(configured):
    everyone = await configured.ListPeers(pb.ListPeersRequest(), None)
    assert [peer.name for peer in everyone.peers] == ["a", "b"]
    some = await configured.ListPeers(pb.ListPeersRequest(peers=["b"]), None)
    assert [peer.name for peer in some.peers] == ["b"]


async def test_a_peer_that_there_is_not_is_not_found(configured):
    with pytest.raises(NotFoundError):
        await configured.ListPeers(pb.ListPeersRequest(peers=["nobody"]), None)


async def test_peers_are_shown_again_and_again_until_the_service_stops(configured, house):
    request = pb.WatchPeersRequest(peers=["a"])
    request.interval.FromMilliseconds(100)
    responses = []
    work = asyncio.ensure_future(gather(configured.WatchPeers(request, None), responses))
    await eventually(lambda: len(responses) > 1)
    configured.end()
    with pytest.raises(UnavailableError):
        await work
    assert {peer.name for response in responses for peer in response.peers} == {"a"}
    assert responses[0].time.ToMilliseconds() == int(house.clock.wall() * 1000)


@pytest.mark.parametrize("milliseconds", [0, 99, 3_600_001, -1])
async def test_an_interval_out_of_bounds_is_refused(configured, milliseconds):
    request = pb.WatchPeersRequest()
    request.interval.FromMilliseconds(milliseconds)
    with pytest.raises(InvalidArgumentError) as refused:
        await gather(configured.WatchPeers(request, None), [])
    assert [violation.field for violation in refused.value.violations] == ["interval"]


async def test_a_peer_is_paused_and_resumed(configured):
    paused = await configured.Pause(pb.PauseRequest(peer="a"), None)
    assert (paused.peer.state, paused.peer.reason) == (pb.PEER_STATE_PAUSED, PAUSED_BY_CALL)
    resumed = await configured.Resume(pb.ResumeRequest(peer="a"), None)
    assert resumed.peer.state != pb.PEER_STATE_PAUSED


async def test_a_pause_by_the_spec_cannot_be_ended_by_a_call(configured, house):
    await house.apply(peer_options("a", pause=True), peer_options("b"))
    with pytest.raises(FailedPreconditionError, match=r"set spec\.pause to false") as refused:
        await configured.Resume(pb.ResumeRequest(peer="a"), None)
    assert refused.value.reason == "PAUSED_BY_SPEC"


async def test_a_flush_tells_how_much_was_moved(configured, house, made):
    made.made[0].open(room=0)
    await house.offer("one", "two")
    assert (await configured.Flush(pb.FlushRequest(peer="a"), None)).entries == 2


async def test_a_flush_is_refused_while_redis_cannot_be_used(configured, house):
    house.redis.away = True
    await house.second()
    with pytest.raises(UnavailableError, match="peer a: Redis is away"):
        await configured.Flush(pb.FlushRequest(peer="a"), None)


# Dead letters


@pytest.fixture
async def with_letters(configured, house, made):
    await house.apply(peer_options("a", deadLetter={"maxTries": 1}), peer_options("b"))
    made.made[0].open()
    await house.offer("one", "two", "three")
    feed = made.made[0].feed
    feed.settle(Outcome.FAILED, feed.take(9), "501 bad")
    await settle(IDLE)
    return configured


async def test_letters_are_given_page_by_page(with_letters):
    request = pb.ListDeadLettersRequest(peer="a", page_size=2)
    first = await with_letters.ListDeadLetters(request, None)
    assert [letter.message_id for letter in first.dead_letters] == ["<one@example.org>", "<two@example.org>"]
    request.page_token = first.next_page_token
    second = await with_letters.ListDeadLetters(request, None)
    assert [letter.message_id for letter in second.dead_letters] == ["<three@example.org>"]
    assert second.next_page_token == ""


async def test_a_page_is_never_larger_than_allowed(with_letters, monkeypatch):
    asked = []

    async def page(peer, size, token):
        asked.append(size)
        return []

    monkeypatch.setattr("forebay.outfeed.peering.deadletters.page", page)
    for size in (0, 7, 1_000_000):
        await with_letters.ListDeadLetters(pb.ListDeadLettersRequest(peer="a", page_size=size), None)
    assert asked == [100, 7, LARGEST_PAGE]


async def test_a_negative_page_is_refused(with_letters):
    with pytest.raises(InvalidArgumentError, match="page_size"):
        await with_letters.ListDeadLetters(pb.ListDeadLettersRequest(peer="a", page_size=-1), None)


async def test_letters_are_replayed(with_letters):
    request = pb.ReplayDeadLettersRequest(peer="a", message_ids=["<two@example.org>"])
    assert (await with_letters.ReplayDeadLetters(request, None)).entries == 1
    assert (await with_letters.ReplayDeadLetters(pb.ReplayDeadLettersRequest(peer="a"), None)).entries == 2


# Not configured


@pytest.mark.parametrize(
    "ask",
    [
        lambda servicer: gather(servicer.Offer(Requests(1), None), []),
        lambda servicer: servicer.Explain(pb.ExplainRequest(), None),
        lambda servicer: servicer.ListPeers(pb.ListPeersRequest(), None),
        lambda servicer: gather(servicer.WatchPeers(pb.WatchPeersRequest(), None), []),
        lambda servicer: servicer.Pause(pb.PauseRequest(peer="a"), None),
        lambda servicer: servicer.Resume(pb.ResumeRequest(peer="a"), None),
        lambda servicer: servicer.Flush(pb.FlushRequest(peer="a"), None),
        lambda servicer: servicer.ListDeadLetters(pb.ListDeadLettersRequest(peer="a"), None),
        lambda servicer: servicer.ReplayDeadLetters(pb.ReplayDeadLettersRequest(peer="a"), None),
    ],
    ids=["Offer", "Explain", "ListPeers", "WatchPeers", "Pause", "Resume", "Flush", "ListDeadLetters", "Replay"],
)
async def test_without_a_configuration_every_call_says_so(ask):
    with pytest.raises(UnavailableError, match="no valid configuration"):
        await ask(OutfeedServicer(FakeClock()))
