from collections import Counter

from hypothesis import given, settings

from forebay.outfeed.token import decode
from forebay.spill.keys import Kind
from forebay_spark.compaction import Rules
from forebay_spark.owners import ATTEMPTS, Work, compact_owner, compact_owners
from forebay_spark.place import SpillPlace
from memorycompactor import MemoryCompactor
from spillcontents import Contents, token
from spilloracle import expected
from spillstrategies import EPOCH, contents

PLACE = SpillPlace("outfeed", "uid", "redis://127.0.0.1")
WORK = Work(PLACE, Rules(), 1000)
FIRST, SECOND = (token(name, seq=number, arrival=EPOCH + number) for number, name in enumerate("ab"))


def backlog(*segments: list[bytes]) -> Contents:
    rows = [[(b"%d-%d" % (EPOCH, number), data) for number, data in enumerate(segment)] for segment in segments]
    return {Kind.BACKLOG: rows, Kind.DEFERRED: []}


@settings(deadline=None)
@given(contents())
def test_each_kind_becomes_what_plain_python_makes_of_it(found: Contents) -> None:
    rules = Rules(EPOCH + 5, 500)
    compactor, released = MemoryCompactor(found), []
    tally = compact_owner(compactor, "peer", Work(PLACE, rules, 300))
    wanted = {
        kind: expected([entry for segment in segments for entry in segment], rules.oldest, rules.max_bytes)
        for kind, segments in found.items()
    }
    for kind, result in wanted.items():
        assert compactor.entries(kind) == result.entries
        released += sorted(result.released)
    assert sorted(decode(data).seq for _, entries in compactor.dropped for data in entries) == sorted(released)
    assert tally.dropped == sum((result.dropped for result in wanted.values()), Counter())
    assert tally.entries_in == sum(len(segment) for segments in found.values() for segment in segments)
    assert tally.entries_out == sum(len(result.entries) for result in wanted.values())


def test_nothing_is_done_and_counted() -> None:
    tally = compact_owner(MemoryCompactor({}), "peer", WORK)
    assert (tally.owners, tally.entries_in, tally.failed) == (1, 0, 0)


def test_small_segments_are_merged() -> None:
    compactor = MemoryCompactor(backlog([FIRST], [SECOND]))
    compact_owner(compactor, "peer", WORK)
    assert len(compactor.lists[Kind.BACKLOG]) == 1


def test_what_would_become_the_same_is_left_alone() -> None:
    compactor = MemoryCompactor(backlog([FIRST, SECOND]))
    tally = compact_owner(compactor, "peer", WORK)
    assert compactor.commits == 0
    assert (tally.owners, tally.entries_in, tally.entries_out) == (1, 2, 2)


def test_segments_that_are_full_are_left_alone() -> None:
    compactor = MemoryCompactor(backlog([FIRST], [SECOND]))
    compact_owner(compactor, "peer", Work(PLACE, Rules(), len(FIRST)))
    assert compactor.commits == 0


def test_segments_are_cut_at_their_size() -> None:
    compactor = MemoryCompactor(backlog([SECOND, FIRST]))
    compact_owner(compactor, "peer", Work(PLACE, Rules(), 1))
    assert [len(compactor.streams[stream]) for stream in compactor.lists[Kind.BACKLOG]] == [1, 1]


def test_an_abort_is_tried_again_with_a_new_plan() -> None:
    compactor = MemoryCompactor(backlog([SECOND, FIRST]), aborts=["promoted"])
    tally = compact_owner(compactor, "peer", WORK)
    assert (tally.owners, tally.failed, compactor.commits) == (1, 0, 1)
    assert len(compactor.abandoned) == 1


def test_an_owner_that_always_aborts_is_told_with_the_reason() -> None:
    compactor = MemoryCompactor(backlog([SECOND, FIRST]), aborts=["promoted"] * ATTEMPTS)
    tally = compact_owner(compactor, "peer", WORK)
    assert (tally.owners, tally.failed, tally.failures) == (0, 1, ("peer: promoted",))
    assert compactor.entries(Kind.BACKLOG) == [SECOND, FIRST]


def test_an_owner_whose_streams_lack_entries_is_left_alone() -> None:
    compactor = MemoryCompactor(backlog([SECOND, FIRST]), lost=1)
    tally = compact_owner(compactor, "peer", WORK)
    assert tally.failures == ("peer: its streams have 2 entries, and its record tells of 3",)
    assert compactor.commits == 0


def test_everything_may_go() -> None:
    compactor = MemoryCompactor(backlog([FIRST, SECOND]))
    compact_owner(compactor, "peer", Work(PLACE, Rules(oldest=EPOCH + 9), 1000))
    assert compactor.entries(Kind.BACKLOG) == []
    assert compactor.dropped == [("limit-age", [FIRST, SECOND])]


def test_an_owner_that_fails_does_not_stop_the_others(monkeypatch) -> None:
    compactor = MemoryCompactor(backlog([SECOND, FIRST]), unavailable=1)
    monkeypatch.setattr(SpillPlace, "connect", lambda place: compactor)
    failed, done = compact_owners(WORK, ["first", "second"])
    assert failed.failures == ("first: Redis is away",)
    assert done.owners == 1
    assert compactor.entries(Kind.BACKLOG) == [FIRST, SECOND]
