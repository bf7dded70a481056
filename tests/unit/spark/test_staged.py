from collections import Counter

from forebay.spill.compactionplan import Output
from forebay.spill.keys import Kind
from forebay_spark.staged import Staged

STAGED = Staged(
    [Output(Kind.BACKLOG, "one", 3, 240, b"5-0"), Output(Kind.DEFERRED, "two", 1, 80, b"6-0")],
    [Output(Kind.BACKLOG, "three", 2, 160, b"0-2", "duplicate")],
    Counter(duplicate=4),
    1,
)


def test_it_reaches_the_driver_as_it_was() -> None:
    found = Staged.parse(STAGED.text())
    assert found == STAGED
    assert found.outputs[0].kind is Kind.BACKLOG


def test_its_tally_has_what_stays_and_what_goes() -> None:
    tally = STAGED.tally
    assert (tally.entries_out, tally.bytes_out, tally.corrupt) == (4, 320, 1)
    assert tally.dropped == Counter(duplicate=4)
