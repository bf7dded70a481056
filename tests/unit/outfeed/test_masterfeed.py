"""The masterfeed: a verdict for each article, once it is durable, and what goes to which peer."""

import asyncio
from contextlib import contextmanager
from operator import attrgetter
from types import SimpleNamespace

import pytest

from eventually import eventually
from fakeclock import FakeClock, settle
from forebay.msgstore import DiskFullError, StoreFailedError
from forebay.outfeed.errors import HistoryFullError, IntakeFullError, LogFullError
from forebay.outfeed.incoming.intake import Verdict, Want
from forebay.outfeed.incoming.routing import Routing
from forebay.outfeed.incoming.rules import PeerRules
from forebay.outfeed.masterfeed import Masterfeed
from forebay.outfeed.token import message_key
from storerooms import content, message_id, opened, wire

ACCEPTED, DUPLICATE, NO_PEER, REJECTED = Verdict


class Taker:
    """A peerfeed that notes what it is offered."""

    def __init__(self) -> None:
        self.offered = []

    def offer(self, tokens):
        self.offered += tokens

    @property
    def names(self):
        return [token.message_id.partition(b"@")[0][1:].decode() for token in self.offered]


@pytest.fixture
async def intake(tmp_path):
    """A masterfeed with a peer for misc.* (0) and one for everything but comp.* (1)."""
    clock = FakeClock()
    async with opened(tmp_path, clock) as storeroom:
        for number in range(2):
            assert await storeroom.feedlog.add_peer(f"uid-{number}") == number
        masterfeed = Masterfeed(storeroom, clock)
        masterfeed.routing = Routing([PeerRules(0, "misc.*"), PeerRules(1, "*,!comp.*")])
        masterfeed.peerfeeds = {0: Taker(), 1: Taker()}
        yield SimpleNamespace(
            clock=clock, storeroom=storeroom, masterfeed=masterfeed, peers=masterfeed.peerfeeds, feed=storeroom.feedlog
        )


async def offer(intake, *contents):
    return await intake.masterfeed.offer(contents, wire=False)


def verdicts(judged):
    return [each.verdict for each in judged]


@contextmanager
def gate(thing, name):
    """Calls of a coroutine function wait until the gate is opened, or raise what it is given."""
    real = getattr(thing, name)
    gate = asyncio.get_running_loop().create_future()

    async def gated(*args):
        await asyncio.shield(gate)
        return await real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thing, name, gated)
        yield gate


def failing(error):
    def fail(*args):
        raise error

    return fail


def failing_later(error):
    async def fail(*args):
        raise error

    return fail


# Verdicts


async def test_every_article_gets_its_verdict_in_order(intake):
    judged = await offer(
        intake,
        content("a"),
        b"nonsense\r\n",
        content("b", group="comp.test"),
        content("a"),
        content("c", group="sci.test"),
    )
    assert verdicts(judged) == [ACCEPTED, REJECTED, NO_PEER, DUPLICATE, ACCEPTED]
    assert judged[1].reason
    counts = intake.masterfeed.counts
    assert (counts.accepted, counts.duplicate, counts.no_peer, counts.rejected) == (2, 1, 1, 1)


async def test_nothing_offered_is_nothing_judged(intake):
    assert await offer(intake) == []


@pytest.mark.parametrize("group", ["misc.test", "comp.test"], ids=["accepted", "no peer"])
async def test_what_was_seen_is_a_duplicate_whatever_came_of_it(intake, group):
    await offer(intake, content("a", group=group))
    assert verdicts(await offer(intake, content("a", group=group))) == [DUPLICATE]


async def test_what_was_rejected_may_be_offered_again(intake):
    assert verdicts(await offer(intake, content("a").replace(b"Subject: a\r\n", b""))) == [REJECTED]
    assert verdicts(await offer(intake, content("a"))) == [ACCEPTED]


async def test_old_articles_are_rejected_unless_that_is_turned_off(intake):
    intake.clock.advance(20 * 86_400)
    (judged,) = await offer(intake, content("a"))
    assert judged.verdict is REJECTED
    assert judged.reason.startswith("too old")
    assert judged.message_id == message_id("a")
    intake.masterfeed.reject_old = False
    assert verdicts(await offer(intake, content("a"))) == [ACCEPTED]


async def test_feeders_give_wire_form(intake):
    assert verdicts(await intake.masterfeed.take([wire("a"), content("b")])) == [ACCEPTED, REJECTED]


async def test_a_long_batch_lets_others_have_their_turn(intake):
    turns = 0

    async def count_turns():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count_turns())
    await intake.masterfeed._offer_all([b"nonsense\r\n"] * 1000, wire=False)
    counting.cancel()
    assert turns >= 5


# What is kept, and who gets it


async def test_bodies_are_stored_once_with_a_reference_for_each_peer(intake):
    await offer(intake, content("a"), content("b", group="sci.test"))
    assert dict(intake.feed.references()) == {message_key(message_id("a")): 2, message_key(message_id("b")): 1}
    stored = intake.storeroom.store.read([message_key(message_id("a"))])
    assert [bytes(body) for body in stored] == [wire("a")]


async def test_each_peer_is_offered_what_it_wants(intake):
    await offer(intake, content("a"), content("b", group="sci.test"), content("c"))
    assert intake.peers[0].names == ["a", "c"]
    assert intake.peers[1].names == ["a", "b", "c"]
    assert [token.seq for token in intake.peers[0].offered] == [0, 2]
    token = intake.peers[0].offered[0]
    assert (token.size, token.arrival, token.tries) == (len(wire("a")), 1_700_000_000_000, 0)
    assert intake.masterfeed.front.head == 3


async def test_new_bodies_are_in_memory(intake):
    await offer(intake, content("a"))
    loaded = intake.storeroom.bodies.load(intake.peers[0].offered, None)
    assert loaded == [wire("a")]


async def test_peers_are_offered_nothing_before_it_is_durable(intake):
    with gate(intake.feed, "append") as opening:
        work = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        assert not work.done()
        assert not intake.peers[0].offered
        opening.set_result(None)
        assert verdicts(await work) == [ACCEPTED]
    assert intake.peers[0].names == ["a"]


async def test_what_was_routed_to_a_peer_that_is_deleted_meanwhile_is_released(intake):
    with gate(intake.feed, "append") as opening:
        work = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        intake.masterfeed.peerfeeds = {1: intake.peers[1]}
        opening.set_result(None)
        assert verdicts(await work) == [ACCEPTED]
    assert not list(intake.feed.owed(0))
    assert list(intake.feed.owed(1)) == [0]


async def test_an_article_is_fanned_out_though_its_sender_hangs_up(intake):
    with gate(intake.feed, "append") as opening:
        work = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        opening.set_result(None)
        await eventually(lambda: intake.peers[0].offered)
    assert verdicts(await offer(intake, content("a"))) == [DUPLICATE]


# Twins


async def test_the_twin_of_an_article_that_is_kept_is_a_duplicate(intake):
    with gate(intake.feed, "append") as opening:
        first = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        second = asyncio.ensure_future(offer(intake, content("a"), b"nonsense\r\n"))
        await settle(50)
        assert not second.done()
        opening.set_result(None)
        assert verdicts(await first) == [ACCEPTED]
        assert verdicts(await second) == [DUPLICATE, REJECTED]


async def test_the_twin_of_an_article_that_could_not_be_kept_is_to_be_offered_again(intake):
    with gate(intake.feed, "append") as opening:
        first = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        second = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        opening.set_exception(LogFullError("full"))
        for work in (first, second):
            with pytest.raises(IntakeFullError):
                await work
    assert verdicts(await offer(intake, content("a"))) == [ACCEPTED]


async def test_batches_that_hold_each_other_s_twins_do_not_wait_for_ever(intake):
    padding = [b"nonsense\r\n"] * 200
    first = offer(intake, content("a"), *padding, content("b"))
    second = offer(intake, content("b"), *padding, content("a"))
    one, other = await asyncio.wait_for(asyncio.gather(first, second), 10)
    assert (one[0].verdict, one[-1].verdict) == (ACCEPTED, DUPLICATE)
    assert (other[0].verdict, other[-1].verdict) == (ACCEPTED, DUPLICATE)


async def test_an_article_on_its_way_is_wanted_later(intake):
    asked = [message_id(name) for name in ("new", "arriving", "old")]
    await offer(intake, content("old"))
    with gate(intake.feed, "append") as opening:
        work = asyncio.ensure_future(offer(intake, content("arriving")))
        await settle(50)
        assert intake.masterfeed.wanted(asked) == [Want.SEND, Want.LATER, Want.HAVE]
        opening.set_result(None)
        await work
    assert intake.masterfeed.wanted(asked) == [Want.SEND, Want.HAVE, Want.HAVE]


# No room


@pytest.mark.parametrize(
    ("part", "method", "error", "later"),
    [
        ("feedlog.room", "check", LogFullError("log full"), False),
        ("history", "reserve", HistoryFullError("history full"), False),
        ("store", "put", DiskFullError("disk full"), True),
        ("feedlog", "append", LogFullError("log full"), True),
        ("feedlog", "append", DiskFullError("disk full"), True),
    ],
    ids=["log", "history", "store", "log at the last moment", "disk of the log"],
)
async def test_without_room_nothing_is_kept_and_all_can_be_offered_again(intake, part, method, error, later):
    with pytest.MonkeyPatch.context() as patch:
        fail = failing_later(error) if later else failing(error)
        patch.setattr(attrgetter(part)(intake.storeroom), method, fail)
        with pytest.raises(IntakeFullError, match=str(error)):
            await offer(intake, content("a"), content("b"))
    assert not intake.peers[0].offered
    assert intake.storeroom.store.stats.messages == 0
    assert intake.masterfeed.counts.accepted == 0
    assert verdicts(await offer(intake, content("a"), content("b"))) == [ACCEPTED, ACCEPTED]


async def test_a_full_history_is_no_room_for_what_no_peer_wants_either(intake):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake.storeroom.history, "add_batch", failing(HistoryFullError("history full")))
        with pytest.raises(IntakeFullError, match="history full"):
            await offer(intake, content("a"), content("b", group="comp.test"))
    assert verdicts(await offer(intake, content("a"), content("b", group="comp.test"))) == [ACCEPTED, NO_PEER]


async def test_what_is_logged_is_fanned_out_though_the_history_fills_up_meanwhile(intake):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake.storeroom.history, "add_batch", failing(HistoryFullError("history full")))
        try:
            await offer(intake, content("a"))
        except IntakeFullError:
            assert not list(intake.feed.owed(0))
        else:
            assert intake.peers[0].names == ["a"]


async def test_a_failed_disk_ends_the_intake(intake):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake.storeroom.store, "put", failing_later(StoreFailedError("sync failed")))
        with pytest.raises(StoreFailedError):
            await offer(intake, content("a"))
    assert intake.masterfeed.failure
    assert intake.masterfeed.wanted([message_id("b")]) == [Want.PAUSED]
    with pytest.raises(IntakeFullError, match="sync failed"):
        await offer(intake, content("b"))


async def test_a_closed_intake_says_why(intake):
    intake.masterfeed.closed = "the service stops"
    with pytest.raises(IntakeFullError, match="the service stops"):
        await offer(intake, content("a"))


# Explaining


@pytest.mark.parametrize(
    ("article", "verdict"),
    [(content("a"), ACCEPTED), (content("b", group="comp.test"), NO_PEER), (content("old"), DUPLICATE)],
    ids=["accepted", "no peer", "duplicate"],
)
async def test_it_tells_what_would_become_of_an_article(intake, article, verdict):
    await offer(intake, content("old"))
    found, judged = intake.masterfeed.judge(article)
    assert judged.verdict is verdict
    assert judged.message_id == found.message_id
    assert verdicts(await offer(intake, article)) == [verdict]


async def test_it_tells_why_an_article_would_be_rejected(intake):
    found, judged = intake.masterfeed.judge(b"nonsense\r\n")
    assert found is None
    assert judged.verdict is REJECTED
    assert judged.reason


async def test_it_tells_that_an_article_is_just_arriving(intake):
    with gate(intake.feed, "append") as opening:
        work = asyncio.ensure_future(offer(intake, content("a")))
        await settle(50)
        assert intake.masterfeed.judge(content("a"))[1].verdict is DUPLICATE
        opening.set_result(None)
        await work
