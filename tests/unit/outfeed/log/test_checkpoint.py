from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.log.checkpoint import Checkpoint


def test_begins_where_it_was_told():
    assert Checkpoint(41).low_water == 41


def test_in_order_it_follows_what_is_done():
    checkpoint = Checkpoint(-1)
    checkpoint.add([0, 1, 2])
    checkpoint.done([0, 1])
    assert checkpoint.low_water == 1


def test_out_of_order_it_waits_for_the_oldest():
    checkpoint = Checkpoint(-1)
    checkpoint.add([3, 5, 9])
    checkpoint.done([5, 9])
    assert checkpoint.low_water == 2
    checkpoint.done([3])
    assert checkpoint.low_water == 9


def test_which_of_many_wait():
    checkpoint = Checkpoint(2)
    checkpoint.add([3, 5, 9])
    checkpoint.done([5])
    assert checkpoint.waiting_of([1, 3, 5, 9, 12]) == {3, 9}


def test_what_was_never_handed_out_is_ignored():
    checkpoint = Checkpoint(10)
    checkpoint.add([11])
    checkpoint.done([5, 12, 99])
    assert checkpoint.low_water == 10
    assert len(checkpoint) == 1


@given(st.lists(st.integers(1, 5), min_size=1, max_size=30), st.randoms())
def test_everything_up_to_low_water_is_done_and_the_next_is_not(steps, random):
    seqs = [sum(steps[: n + 1]) for n in range(len(steps))]
    checkpoint, done = Checkpoint(0), set()
    checkpoint.add(seqs)
    for seq in random.sample(seqs, len(seqs)):
        checkpoint.done([seq])
        done.add(seq)
        waiting = [s for s in seqs if s not in done]
        assert checkpoint.low_water == (waiting[0] - 1 if waiting else seqs[-1])
        assert len(checkpoint) == len(waiting)
