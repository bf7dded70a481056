"""Custody of a spool: taken over, compared with what is owed, and put right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.feedlog.logsegment import SEGMENT_ENTRIES
from forebay.outfeed.peering import custody
from forebay.outfeed.peering.custody import Inventory, SeqSet
from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.poison import GivingUp
from forebay.outfeed.sending.feed import Outcome
from forebay.spill import DeadLetter, Entry, Kind, LeaseLostError
from onepeer import OnePeer
from powerloss import PowerLossDisk
from recordingfeed import tokens


@given(st.lists(st.integers(0, 3 * SEGMENT_ENTRIES)))
def test_a_set_of_seqs_is_a_set(seqs):
    found, model = SeqSet(), set()
    for seq in seqs:
        assert found.add(seq) is (seq not in model)
        model.add(seq)
    assert all(seq in found for seq in model)
    assert not any(seq in found for seq in set(range(100)) - model)


class Ward:
    """A peer that needs the first ten articles but for 5, owns 6 by the log, and has read the log up to 8."""

    name = "peer"
    number = 0
    cursor = 8

    def __init__(self) -> None:
        self.ledger = Ledger()

    def needs(self, seq):
        return seq < 10 and seq != 5

    def logged(self, seq):
        return seq == 6

    def lacks(self, seq):
        return self.needs(seq) and not self.logged(seq)


def entries(first, count):
    return [Entry(b"%d-0" % token.seq, token.encode()) for token in tokens(first + count)[first:]]


def letters(*seqs):
    """Dead letters as they stand in their stream."""
    some = [tokens(10)[seq] for seq in seqs]
    return [Entry(b"1-0", DeadLetter(token.encode(), "501 bad", 3, 1_700_000_000_000).encode()) for token in some]


def test_an_inventory_counts_each_article_that_is_needed_once():
    inventory = Inventory(Ward(), Ward().lacks)
    inventory.add(Kind.RESEND, entries(0, 2))
    inventory.add(Kind.DEFERRED, entries(1, 6))
    assert [seq for seq in range(9) if seq in inventory.found] == [0, 1, 2, 3, 4, 6]
    assert inventory.deferred == 3
    assert not inventory.ahead


def test_an_inventory_tells_what_the_log_would_hand_out_still():
    inventory = Inventory(Ward(), Ward().lacks)
    inventory.add(Kind.BACKLOG, entries(6, 4))
    assert inventory.ahead == {8, 9}


def test_an_inventory_knows_dead_letters():
    inventory = Inventory(Ward(), Ward().lacks)
    inventory.add(Kind.DEAD, letters(0, 1))
    assert inventory.dead == 2
    assert 0 in inventory.found


def test_an_inventory_leaves_out_dead_letters_that_are_handed_out_again():
    inventory = Inventory(Ward(), Ward().lacks)
    inventory.add(Kind.DEAD, letters(6, 7))
    assert inventory.dead == 1


# At start


async def restarted(peer, *, crash=False):
    await (peer.crash() if crash else peer.stop())
    await peer.start()
    await peer.rest()


async def test_after_a_stop_in_order_nothing_is_audited(peer):
    await peer.offer(4)
    await peer.rest()
    await restarted(peer)
    assert "iterate" not in peer.spool.commands
    assert peer.custodian.audited
    assert (peer.feed.ledger.queued, peer.feed.checkpoint) == (4, 3)


async def test_after_a_stop_in_order_it_is_known_what_was_put_off_and_given_up():
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(6)
    peer.take()
    peer.settle(Outcome.DEFERRED, [0, 1, 2])
    peer.settle(Outcome.FAILED, [3], "501 bad")
    await restarted(peer)
    ledger = peer.feed.ledger
    assert (ledger.offered, ledger.queued, ledger.deferred, ledger.dead_lettered) == (6, 2, 3, 1)
    await peer.close()


async def test_what_a_full_or_absent_redis_did_not_take_stays_with_the_log_over_a_stop_in_order(peer):
    peer.redis.away = True
    await peer.offer(3)
    await peer.rest()
    await peer.stop()
    peer.redis.away = False
    await peer.start()
    await peer.rest()
    assert await peer.send_all() == [0, 1, 2]


@pytest.mark.parametrize("crash", [False, True], ids=["in order", "dirty"])
async def test_what_redis_lost_while_the_service_was_down_is_put_back(peer, crash):
    await peer.offer(4)
    await peer.rest()
    await peer.flush()
    await (peer.crash() if crash else peer.stop())
    peer.redis.restart(lost="everything")
    await peer.start()
    await peer.rest()
    assert peer.spilled() == [0, 1, 2, 3]
    assert peer.feed.ledger.queued == 4


async def test_after_a_dirty_stop_what_redis_has_is_not_handed_out_by_the_log_as_well(peer):
    await peer.offer(4)
    await peer.rest()
    await restarted(peer, crash=True)
    assert peer.spilled() == [0, 1, 2, 3]
    assert await peer.send_all() == [0, 1, 2, 3]
    assert peer.feed.ledger.accepted == 4


async def test_what_a_lost_data_folder_left_on_redis_is_not_taken_for_new_articles(peer):
    await peer.offer(4)
    await peer.rest()
    await peer.crash()
    peer.disk = PowerLossDisk()
    await peer.start()
    await peer.rest()
    assert peer.spilled() == []
    assert peer.feed.ledger.owed == 0
    peer.up()
    await peer.offer(2)
    assert await peer.send_all() == [0, 1]


async def test_after_a_dirty_stop_what_was_settled_and_not_released_is_offered_again(peer):
    peer.up()
    await peer.rest()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.ACCEPTED)
    await restarted(peer, crash=True)
    assert await peer.send_all() == [0, 1]


async def test_after_a_dirty_stop_dead_letters_stay_dead():
    peer = OnePeer(limits=GivingUp(failures=1))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.FAILED, [1], "501 bad")
    await peer.rest()
    await peer.flush()
    await restarted(peer, crash=True)
    assert peer.spilled() == peer.spilled(Kind.DEAD) == [1]
    ledger = peer.feed.ledger
    assert (ledger.offered, ledger.queued, ledger.dead_lettered, ledger.dead_kept) == (2, 1, 1, 1)
    assert await peer.send_all() == [0]
    await peer.close()


async def test_nothing_is_audited_while_redis_is_away(peer):
    peer.redis.away = True
    await restarted(peer, crash=True)
    assert not peer.custodian.audited
    assert not peer.backlog.writable
    peer.come_back()
    await peer.rest()
    assert peer.custodian.audited


async def test_what_is_sent_while_the_audit_goes_on_is_counted_once():
    peer = OnePeer(size=50, limits=GivingUp(failures=1))
    await peer.start()
    peer.up()
    await peer.rest()
    await peer.offer(40)
    peer.take()
    peer.settle(Outcome.FAILED, range(0, 40, 4), "501 bad")
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    await peer.crash()
    await peer.start()
    peer.up()
    for _ in range(60):
        await peer.rest(1)
        peer.take()
        peer.settle(Outcome.ACCEPTED)
        ledger = peer.feed.ledger
        assert min(ledger.queued, ledger.deferred, ledger.in_flight) >= 0, ledger
    await peer.close()


# While it runs


async def test_what_a_restarted_redis_lost_is_put_back(peer):
    await peer.offer(30)
    await peer.rest()
    peer.redis.restart(lost="everything")
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == list(range(30))
    assert peer.feed.ledger.queued == 30


async def test_what_a_restarted_redis_still_has_is_not_put_back(peer):
    peer.redis.lazy = True
    await peer.offer(2)
    await peer.rest()
    peer.redis.sync()
    await peer.offer(2)
    await peer.rest()
    peer.redis.restart(lost="unsynced")
    peer.come_back()
    await peer.rest()
    assert peer.spilled() == [0, 1, 2, 3]


async def test_what_was_put_off_and_lost_is_queued_again(peer):
    peer.up()
    await peer.rest()
    await peer.offer(2)
    peer.take()
    peer.settle(Outcome.DEFERRED)
    await peer.rest()
    peer.redis.restart(lost="everything")
    peer.come_back()
    peer.down()
    await peer.rest()
    assert peer.spilled() == [0, 1]
    assert (peer.feed.ledger.queued, peer.feed.ledger.deferred) == (2, 0)


async def test_a_spool_counts_as_not_audited_while_the_audit_goes_on(peer, monkeypatch):
    seen = []
    iterate = peer.spool.iterate

    def watched():
        seen.append(peer.custodian.audited)
        return iterate()

    monkeypatch.setattr(peer.spool, "iterate", watched)
    peer.redis.restart(lost="everything")
    peer.come_back()
    await peer.rest()
    assert seen == [False]
    assert peer.custodian.audited


async def test_a_lost_lease_is_taken_again_at_once_and_without_an_audit(peer):
    peer.spool.lose_lease()
    await peer.offer(2)
    await peer.rest()
    assert peer.spilled() == [0, 1]
    assert peer.spool.commands.count("load") == 2
    assert peer.spool.commands.count("iterate") == 1


async def test_the_reason_of_a_lost_lease_shows_until_it_is_back(peer, monkeypatch):
    load = peer.spool.load
    shown = []

    async def watched():
        shown.append(peer.backlog.trouble)
        return await load()

    monkeypatch.setattr(peer.spool, "load", watched)
    peer.spool.lose_lease()
    peer.backlog.wake()
    await peer.rest()
    assert [type(trouble) for trouble in shown] == [LeaseLostError]
    assert peer.backlog.writable


async def test_an_absent_redis_is_tried_again_by_itself(peer, monkeypatch):
    monkeypatch.setattr(custody, "RETRY_SECONDS", 0.001)
    peer.redis.away = True
    await peer.offer(1)
    await peer.rest()
    peer.redis.away = False
    while not peer.spilled():
        await peer.rest(1)


async def test_what_an_audit_passed_over_is_forgotten_when_the_next_one_does_not_find_it(peer):
    await peer.offer(1)
    await peer.rest()
    await peer.crash()
    await peer.start()
    await peer.rest()
    assert (peer.feed.cursor, peer.spilled()) == (0, [0])
    peer.redis.restart(lost="everything")
    peer.come_back()
    peer.backlog.wake()
    await peer.rest()
    assert await peer.send_all() == [0]


async def test_what_was_settled_before_redis_confirmed_it_does_not_hold_the_checkpoint(peer):
    peer.redis.lazy = True
    await peer.offer(1)
    await peer.rest()
    assert await peer.send_all() == [0]
    assert peer.feed.checkpoint == -1
    peer.redis.restart()
    peer.come_back()
    peer.backlog.wake()
    await peer.rest()
    assert peer.feed.checkpoint == 0
