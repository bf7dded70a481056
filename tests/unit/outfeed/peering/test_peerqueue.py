"""The rules of a peer's memory queue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.peering.peerqueue import PeerQueue, put_back
from recordingfeed import tokens as some_tokens


def tokens(count, first=0):
    return [token._replace(seq=seq) for seq, token in enumerate(some_tokens(count), first)]


def seqs(queue):
    return [token.seq for token in queue]


def test_a_full_queue_moves_its_oldest_half_to_what_is_spilled():
    queue = PeerQueue(10, 0.5)
    queue.push(tokens(11))
    assert seqs(queue.spilling) == [0, 1, 2, 3, 4]
    assert seqs(queue.fresh) == [5, 6, 7, 8, 9, 10]


def test_a_third_can_be_chosen_instead_of_half():
    queue = PeerQueue(9, 1 / 3)
    queue.push(tokens(10))
    assert seqs(queue.spilling) == [0, 1, 2]


def test_a_queue_that_is_just_full_spills_nothing():
    queue = PeerQueue(10, 0.5)
    queue.push(tokens(10))
    assert not queue.spilling


def test_fresh_tokens_go_before_those_read_back():
    queue = PeerQueue(10, 0.5)
    queue.resent.extend(tokens(2))
    queue.push(tokens(2, first=10))
    assert seqs(queue.take(5)) == [10, 11]
    assert seqs(queue.take(5)) == [0, 1]
    assert queue.take(5) == []


def test_what_overflowed_is_taken_first_when_the_backlog_is_away():
    queue = PeerQueue(2, 0.5)
    queue.push(tokens(4))
    assert seqs(queue.spilling) == [0, 1]
    assert seqs(queue.take(9, spilling_too=True)) == [0, 1]
    assert seqs(queue.take(9, spilling_too=True)) == [2, 3]


def test_what_a_connection_gives_back_is_taken_next_in_its_old_order():
    queue = PeerQueue(10, 0.5)
    queue.push(tokens(4))
    taken = queue.take(3)
    queue.put_back(taken, tokens(2, first=20))
    assert seqs(queue.take(9)) == [0, 1, 2, 3]
    assert seqs(queue.take(9)) == [20, 21]


def test_a_lost_peer_spills_all_that_is_fresh_and_nothing_that_was_read_back():
    queue = PeerQueue(10, 0.5)
    queue.push(tokens(3))
    queue.resent.extend(tokens(2, first=20))
    queue.spill_all()
    assert seqs(queue.spilling) == [0, 1, 2]
    assert seqs(queue.resent) == [20, 21]


def test_a_batch_that_the_backlog_did_not_take_stays_first_in_line():
    queue = PeerQueue(10, 0.5)
    queue.spilling.extend(tokens(5))
    batch = queue.take_spilling(2)
    put_back(queue.spilling, batch)
    assert seqs(queue.spilling) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("left", "dry"), [(3, False), (2, True), (0, True)])
def test_it_runs_dry_at_a_quarter(left, dry):
    queue = PeerQueue(8, 0.5)
    queue.push(tokens(left))
    assert queue.running_dry is dry


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(1, 20), st.floats(0.05, 1))
def test_no_token_is_lost_or_doubled_and_order_is_kept(sizes, size, fraction):
    queue = PeerQueue(size, fraction)
    first = 0
    for count in sizes:
        queue.push(tokens(count, first=first))
        first += count
    assert seqs(queue.spilling) + seqs(queue.fresh) == list(range(first))
    assert len(queue.fresh) <= size


def test_tokens_read_back_may_go_first():
    queue = PeerQueue(10, 0.5)
    queue.resent.extend(tokens(2))
    queue.push(tokens(2, first=10))
    assert seqs(queue.take(5, resent_first=True)) == [0, 1]
    assert seqs(queue.take(5, resent_first=True)) == [10, 11]
