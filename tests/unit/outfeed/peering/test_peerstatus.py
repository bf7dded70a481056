"""A peer as it is shown: its state and why, its figures, its metrics."""

import pytest

from fakeclock import settle
from forebay.outfeed.peering.peer import PAUSED_BY_CALL
from forebay.outfeed.peering.peermetrics import peer_metrics
from forebay.outfeed.peering.peerstatus import backlog_sample, peer_refusals, peer_state, peer_status
from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.feed import Outcome
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from manifests import peer_options
from onepeer import IDLE


@pytest.fixture
async def peer(house):
    await house.add("a")
    return house.peers["a"]


def status(house, peer):
    return peer_status(peer, house.clock.wall())


def samples(peers, now=0.0):
    """Values by name and labels other than the peer's."""
    return {
        (sample.name, *[value for label, value in sample.labels.items() if label != "peer"]): sample.value
        for family in peer_metrics(peers, now)
        for sample in family.samples
    }


async def test_a_peer_that_is_dialled_is_connecting(peer):
    assert peer_state(peer) == (pb.PEER_STATE_CONNECTING, "")


async def test_a_peer_with_a_line_is_connected(peer, made):
    made.last.open()
    assert peer_state(peer) == (pb.PEER_STATE_CONNECTED, "")


async def test_a_peer_that_failed_is_backing_off_and_says_why_and_until_when(house, peer, made):
    made.last.end("closed at greeting: 400 full")
    assert peer_state(peer) == (pb.PEER_STATE_BACKING_OFF, "closed at greeting: 400 full")
    shown = status(house, peer)
    assert (shown.reason, shown.last_error) == ("closed at greeting: 400 full",) * 2
    assert shown.last_error_time.ToMilliseconds() == int(house.clock.wall() * 1000)
    assert 0 < shown.next_attempt_time.ToMilliseconds() / 1000 - house.clock.wall() <= 2


async def test_a_peer_that_is_tried_again_still_shows_the_last_error(house, peer, made):
    made.last.end("no route")
    house.clock.advance(60)
    peer.lines.want()
    assert peer_state(peer) == (pb.PEER_STATE_CONNECTING, "no route")


async def test_a_failed_login_is_told_in_a_word_until_a_line_is_up(house, peer, made):
    assert status(house, peer).error_reason == ""
    made.last.end("AUTHINFO PASS was answered: 481 no", Cause.AUTH_FAILED)
    assert status(house, peer).error_reason == "AUTH_FAILED"
    assert samples([peer])["forebay_outfeed_peer_error", "AUTH_FAILED"] == 1
    house.clock.advance(60)
    peer.lines.want()
    made.last.open()
    assert status(house, peer).error_reason == ""
    assert ("forebay_outfeed_peer_error", "AUTH_FAILED") not in samples([peer])


async def test_the_state_of_a_peer_is_a_metric(peer, made):
    made.last.open()
    name = "forebay_outfeed_peer_state"
    states = {labels[0]: value for (found, *labels), value in samples([peer]).items() if found == name}
    assert states == {"paused": 0, "idle": 0, "connecting": 0, "connected": 1, "backing_off": 0}


async def test_a_peer_with_nothing_to_send_is_idle(house, peer, made):
    made.last.end("no route")
    house.clock.advance(60)
    assert peer_state(peer) == (pb.PEER_STATE_IDLE, "")


async def test_a_paused_peer_says_by_whom(peer):
    peer.pause()
    assert peer_state(peer) == (pb.PEER_STATE_PAUSED, PAUSED_BY_CALL)


async def test_a_status_shows_the_peer_and_its_lines(house, peer, made):
    made.last.open()
    await house.offer("one", "two")
    made.last.feed.settle(Outcome.ACCEPTED, made.last.feed.take(1), "239")
    made.last.unanswered, made.last.skips_check = 3, True
    peer.lines.open[0].is_secured, made.last.compresses = True, True
    shown = status(house, peer)
    assert (shown.name, shown.uid, shown.window) == ("a", peer_options("a").uid, 400)
    assert shown.queue_length == 1
    (line,) = shown.connections
    assert (line.id, line.address, line.in_flight) == (1, "a.example:119", 3)
    assert (line.no_check, line.accepted, line.refused) == (True, 1, 0)
    assert (line.streaming, line.tls, line.compressed) == (True, True, True)
    assert line.connected_since.ToMilliseconds() == int(peer.lines.open[0].opened * 1000)


async def test_the_counters_add_up(house, peer, made):
    made.last.open()
    await house.offer("one", "two", "three", "four")
    feed = made.last.feed
    feed.settle(Outcome.ACCEPTED, feed.take(1), "239")
    feed.settle(Outcome.DEFERRED, feed.take(1), "431")
    feed.take(1)
    counters = status(house, peer).counters
    assert (counters.offered, counters.accepted, counters.deferred) == (4, 1, 1)
    assert (counters.in_flight, counters.queued) == (1, 1)
    assert counters.accepted_bytes > 100


async def test_the_oldest_article_shows_how_long_it_has_waited(house, peer, made):
    made.last.open()
    assert not status(house, peer).HasField("oldest_queued_age")
    await house.offer("one")
    house.clock.advance(7)
    assert status(house, peer).oldest_queued_age.ToMilliseconds() == 7000


async def test_the_backlog_shows_what_is_on_redis(house, peer):
    await house.offer("one", "two")
    backlog = status(house, peer).backlog
    assert (backlog.entries, backlog.segments) == (2, 1)
    assert backlog.bytes > 40


async def test_limits_of_the_backlog_are_told_where_there_are_any(house, peer):
    assert (status(house, peer).backlog.limit_bytes, status(house, peer).backlog.HasField("limit_age")) == (0, False)
    peer.change(peer_options("a", backlog={"maxBytes": "5MB", "maxAge": "2h"}))
    backlog = status(house, peer).backlog
    assert (backlog.limit_bytes, backlog.limit_age.seconds) == (5_000_000, 7200)


async def test_what_was_dropped_is_told_by_reason(house, peer):
    peer.feed.ledger.dropped.update({"limit-bytes": 3, "missing": 1})
    shown = status(house, peer)
    assert {each.reason: each.articles for each in shown.dropped_by_reason} == {"limit-bytes": 3, "missing": 1}
    assert shown.counters.dropped == 4


async def test_articles_are_counted_by_the_code_of_the_answer(house, peer, made):
    made.last.open()
    await house.offer("one", "two", "three", "four")
    feed = made.last.feed
    feed.settle(Outcome.ACCEPTED, feed.take(2), "239")
    feed.settle(Outcome.REJECTED, feed.take(1), "439 too large")
    feed.settle(Outcome.MISSING, feed.take(1), "")
    found = {labels[0]: count for (name, *labels), count in samples([peer]).items() if name.endswith("answers_total")}
    assert found == {"239": 2, "439": 1}


async def test_a_sample_tells_how_much_waits(house, peer, made):
    made.last.open()
    await house.offer("one", "two")
    made.last.feed.take(1)
    assert backlog_sample(peer) == {"queued": 1, "deferred": 0, "in_flight": 1}


async def test_the_metrics_add_up(house, peer, made):
    made.last.open()
    await house.offer("one", "two", "three", "four")
    feed = made.last.feed
    feed.settle(Outcome.ACCEPTED, feed.take(1), "239")
    feed.settle(Outcome.MISSING, feed.take(1), "")
    feed.settle(Outcome.DEFERRED, feed.take(1), "431")
    await settle(IDLE)
    found = samples([peer])
    prefix = "forebay_outfeed_"
    assert found[prefix + "offered_total",] == 4
    assert found[prefix + "dropped_total", "missing"] == 1
    columns = [(name + "_total",) for name in ("accepted", "refused", "rejected", "expired", "dead_lettered")]
    columns += [("dropped_total", "missing"), ("queued",), ("deferred",), ("in_flight",)]
    assert sum(found[prefix + name, *labels] for name, *labels in columns) == 4
    assert found[prefix + "connections",] == 1
    assert found[prefix + "backlog_bytes", "deferred"] > 20
    assert found[prefix + "backlog_entries", "deferred"] == 1
    assert found[prefix + "backlog_entries", "dead"] == 0


async def test_every_peer_has_its_metrics(house):
    await house.add("a", "b")
    named = {sample.labels["peer"] for family in peer_metrics(house.peers, 0) for sample in family.samples}
    assert named == {"a", "b"}


async def test_octets_are_counted_by_what_became_of_them(house, peer, made):
    made.last.open()
    await house.offer("one", "two", "three", "four")
    feed, sizes = made.last.feed, []
    for outcome in (Outcome.ACCEPTED, Outcome.REFUSED, Outcome.REJECTED, Outcome.DEFERRED):
        (token,) = feed.take(1)
        sizes.append(token.size)
        feed.settle(outcome, [token], "")
    counters = status(house, peer).counters
    shown = [counters.accepted_bytes, counters.refused_bytes, counters.rejected_bytes, counters.put_off_bytes]
    assert shown == sizes
    assert (counters.offered_bytes, counters.put_offs) == (sum(sizes), 1)
    names = ("accepted", "refused", "rejected", "deferred")
    assert [samples([peer])[f"forebay_outfeed_{name}_bytes_total",] for name in names] == sizes


async def test_octets_beyond_what_a_float_can_tell_stay_exact(house, peer):
    peer.feed.ledger.bytes_accepted = 2**53 + 1
    assert status(house, peer).counters.accepted_bytes == 2**53 + 1


async def test_articles_that_went_to_the_backlog_are_counted_by_why(house, peer, made):
    await house.offer("one", "two")
    await settle(IDLE)
    made.last.open()
    await settle(IDLE)
    await house.offer("three")
    made.last.end("lost")
    counters = status(house, peer).counters
    assert (counters.spooled_sleeping, counters.spooled_on_close, counters.spooled_overflow) == (2, 1, 0)
    assert counters.unspooled == 2
    assert samples([peer])["forebay_outfeed_spooled_total", "on-close"] == 1


async def test_the_age_of_the_oldest_article_is_a_metric_by_place(house, peer, made):
    made.last.open()
    await house.offer("one")
    house.clock.advance(7)
    found = samples([peer], house.clock.wall())
    assert found["forebay_outfeed_oldest_age_seconds", "queue"] == 7
    assert found["forebay_outfeed_oldest_age_seconds", "deferred"] == 0
    (age,) = status(house, peer).waiting_ages
    assert (age.place, age.age.ToMilliseconds()) == (pb.WAITING_PLACE_QUEUE, 7000)


async def test_a_status_tells_how_full_the_queue_was(house, peer, made):
    made.last.open()
    await house.offer("one", "two")
    peer.poll()
    fullness = status(house, peer).queue_fullness
    assert (fullness.size, fullness.longest, fullness.looks[1]) == (peer.feed.queue.size, 2, 1)


async def test_refusals_are_told_with_the_words_of_the_peer(house, peer, made):
    made.last.open()
    await house.offer("one", "two", "three")
    feed = made.last.feed
    feed.settle(Outcome.REJECTED, feed.take(1), "439 7 lines are too many")
    feed.settle(Outcome.REFUSED, feed.take(2), "438 seen")
    found = peer_refusals(peer)
    assert [(each.outcome, each.text, each.articles) for each in found.refusals] == [
        (pb.REFUSED_UNWANTED, "438 seen", 2),
        (pb.REFUSED_REJECTED, "439 # lines are too many", 1),
    ]
