"""Runs: taking by octets, missing bodies, the order in which tokens came."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.sending.run import Run, in_order, part_missing, pop_bytes, tokens_of
from recordingfeed import tokens


def test_articles_are_taken_up_to_the_octets():
    queue = deque([Run(1, tokens(10, size=100))])
    assert [len(run.tokens) for run in pop_bytes(queue, 250)] == [3]
    assert len(tokens_of(queue)) == 7


def test_one_article_is_taken_whatever_its_size():
    queue = deque([Run(1, tokens(2, size=1000))])
    assert len(tokens_of(pop_bytes(queue, 10))) == 1


def test_several_runs_are_taken_together():
    queue = deque([Run(1, tokens(3)), Run(2, tokens(3, first=3)), Run(3, tokens(3, first=6))])
    assert [(run.rank, len(run.tokens)) for run in pop_bytes(queue, 500)] == [(1, 3), (2, 2)]
    assert [(run.rank, len(run.tokens)) for run in queue] == [(2, 1), (3, 3)]


@given(st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=9), max_size=9), st.integers(1, 200))
def test_taking_by_octets_keeps_all_in_order(sizes, limit):
    everything = [
        Run(rank, [token for size in run for token in tokens(1, size=size)]) for rank, run in enumerate(sizes)
    ]
    expected = tokens_of(everything)
    queue, taken = deque(everything), []
    while queue:
        batch = tokens_of(pop_bytes(queue, limit))
        assert batch
        assert sum(token.size for token in batch[:-1]) < limit
        taken += batch
    assert taken == expected


def test_tokens_without_a_body_leave_their_runs():
    first, second = Run(1, tokens(2)), Run(2, tokens(2, first=2))
    missing = part_missing([first, second], [b"a", None, None, b"d"])
    assert [token.message_id for token in missing] == [b"<1@t>", b"<2@t>"]
    assert [token.message_id for token in tokens_of([first, second])] == [b"<0@t>", b"<3@t>"]


def test_order_is_by_rank_then_by_stage():
    runs = [Run(2, tokens(1, first=2)), Run(1, tokens(1)), Run(2, tokens(1, first=3)), Run(1, tokens(1, first=1))]
    assert [token.message_id for token in in_order(runs)] == [b"<0@t>", b"<1@t>", b"<2@t>", b"<3@t>"]
