"""Columns of messages on their way into a queue."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from forebay.store.backing.arrivals import Arrivals
from forebay.store.backing.run import Arrival

arrivals = st.lists(
    st.builds(
        Arrival,
        content=st.binary(max_size=4),
        id=st.binary(min_size=16, max_size=16),
        embedded=st.booleans(),
        expiry=st.integers(0, 2),
        priority=st.integers(0, 2),
        persistent=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@given(arrivals)
def test_one_by_one_they_are_what_they_were(given):
    columns = Arrivals.of(given)
    assert list(columns) == given
    assert columns[1:3] == given[1:3]
    assert columns[-1] == given[-1]
    assert Arrivals.of(columns) is columns


@given(arrivals)
def test_runs_have_all_of_them_and_each_is_persistent_or_not(given):
    runs = list(Arrivals.of(given).runs(10))
    assert [seq for run in runs for seq in run.seqs] == list(range(10, 10 + len(given)))
    seen = [
        (content, id, not stored, expiry, run.persistent)
        for run in runs
        for content, id, stored, expiry in zip(
            run.contents, run.ids, run.stored or bytes(len(run)), run.expiries or bytes(len(run)), strict=True
        )
    ]
    assert seen == [(each.content, each.id, each.embedded, each.expiry, each.persistent) for each in given]
    assert all(before.persistent is not run.persistent for before, run in itertools.pairwise(runs))
    assert all(run.filed is run.persistent for run in runs)
