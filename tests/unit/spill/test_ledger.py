"""The ledger: reading meta, and keeping in step with answers."""

import pytest

from forebay.spill import Depth, Kind, SpillAnswerError
from forebay.spill.ledger import Castoff, Ledger, Segment

META = (
    b"generation 9 last 4 turn 17 B 1 open:B x D 3,4 open:D 4 R 2 R:kind B checkpoint 95-3 X:entries 1 X:bytes 10 "
    b"1:opened 100 1:entries 5 1:bytes 50 2:opened 90 2:entries 3 2:bytes 30 "
    b"3:opened 200 3:entries 1 3:bytes 11 4:opened 300 4:entries 2 4:bytes 22"
)


def flat(text: bytes = META) -> list[bytes]:
    return [word.replace(b",", b" ") for word in text.split()]


def test_meta_is_read() -> None:
    ledger = Ledger.parse(flat())
    assert ledger.queues[Kind.BACKLOG] == [Segment(1, Kind.BACKLOG, 100, 5, 50, closed=True)]
    assert [segment.closed for segment in ledger.queues[Kind.DEFERRED]] == [True, False]
    assert ledger.resend == Segment(2, Kind.BACKLOG, 90, 3, 30, closed=True)
    assert (ledger.generation, ledger.last, ledger.turn, ledger.checkpoint) == (9, 4, 17, b"95-3")


def test_the_state_adds_up() -> None:
    state = Ledger.parse(flat()).state()
    assert (state.backlog, state.deferred) == (Depth(5, 50), Depth(3, 33))
    assert (state.resend, state.dead) == (Depth(3, 30), Depth(1, 10))
    assert (state.oldest_backlog, state.oldest_resend, state.generation) == (100, 95, 9)


def test_what_compactions_have_dropped_is_listed() -> None:
    ledger = Ledger.parse(flat(META + b" dropped 5,6 5:kind B 5:reason duplicate 6:kind D 6:reason limit-age"))
    assert ledger.castoffs == [Castoff(5, Kind.BACKLOG, "duplicate"), Castoff(6, Kind.DEFERRED, "limit-age")]
    assert ledger.state().castoffs == 2
    assert ledger.state().segments == 4


def test_an_empty_meta_is_an_empty_ledger() -> None:
    state = Ledger.parse([]).state()
    assert state.backlog == state.resend == Depth()
    assert state.oldest_backlog is state.oldest_deferred is state.oldest_resend is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"B 1", id="a listed segment without figures"),
        pytest.param(b"B one", id="an id that is none"),
        pytest.param(b"R 1 1:opened 1 1:entries 1 1:bytes 1", id="R of no kind"),
        pytest.param(b"R 1 R:kind Z 1:opened 1 1:entries 1 1:bytes 1", id="R of an unknown kind"),
        pytest.param(b"dropped 1", id="a list of what was dropped for no reason"),
        pytest.param(b"last many", id="a number that is none"),
    ],
)
def test_a_damaged_meta_is_told(text: bytes) -> None:
    with pytest.raises(SpillAnswerError, match="meta: the record of segments is damaged"):
        Ledger.parse(flat(text))


def test_a_new_segment_closes_the_one_before() -> None:
    ledger = Ledger()
    ledger.added(Kind.BACKLOG, 1, 100, 2, 20)
    ledger.added(Kind.BACKLOG, 2, 200, 1, 10)
    first, second = ledger.queues[Kind.BACKLOG]
    assert (first.closed, second.closed) == (True, False)
    assert (ledger.last, ledger.generation) == (2, 2)
    assert ledger.open_segment(Kind.BACKLOG) is second


def test_a_promoted_open_segment_takes_no_more() -> None:
    ledger = Ledger()
    ledger.added(Kind.DEFERRED, 1, 100, 2, 20)
    ledger.promoted(Kind.DEFERRED)
    assert ledger.open_segment(Kind.DEFERRED) is None
    assert ledger.state().resend == Depth(2, 20)


def test_a_segment_that_is_gone_leaves_the_list() -> None:
    ledger = Ledger.parse(flat())
    ledger.removed(Kind.DEFERRED, 1, 11, gone=True)
    ledger.removed(Kind.RESEND, 3, 30, gone=True)
    assert [segment.id for segment in ledger.segments()] == [1, 4]
    assert ledger.checkpoint is None
    assert ledger.generation == 11
