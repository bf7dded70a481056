"""The resend window."""

from hypothesis import given
from hypothesis import strategies as st

from forebay.spill.resend import Entry, Passed, ResendWindow, entries_of


def window(*names: bytes) -> ResendWindow:
    window = ResendWindow()
    window.add(Entry(name, name * 3) for name in names)
    return window


def test_an_answer_is_read_as_entries() -> None:
    entries = entries_of([(b"1-0", [b"t", b"one"]), (b"2-0", [b"t", b"two"])])
    assert entries == [Entry(b"1-0", b"one"), Entry(b"2-0", b"two")]
    assert entries[1].data == b"two"


def test_the_cursor_follows_what_was_read() -> None:
    resend = window(b"1", b"2")
    assert resend.cursor == b"2"
    resend.add([])
    assert resend.cursor == b"2"


def test_nothing_settled_moves_nothing() -> None:
    assert window(b"1", b"2").passed() is None


def test_a_settled_prefix_is_passed() -> None:
    resend = window(b"1", b"2", b"3")
    resend.settle([b"2", b"1"])
    assert resend.passed() == Passed(b"2", 2, 6)


def test_an_unsettled_entry_holds_back_those_behind_it() -> None:
    resend = window(b"1", b"2")
    resend.settle([b"2"])
    assert resend.passed() is None


def test_an_entry_taken_out_is_passed_but_not_counted() -> None:
    resend = window(b"1", b"2", b"3")
    resend.take_out([b"1"])
    resend.settle([b"2"])
    assert resend.passed() == Passed(b"2", 1, 3)


def test_unknown_entries_are_ignored() -> None:
    resend = window(b"1")
    resend.settle([b"9"])
    resend.settle([b"1"])
    resend.settle([b"1"])
    assert resend.passed() == Passed(b"1", 1, 3)


def test_what_the_checkpoint_passed_is_forgotten() -> None:
    resend = window(b"1", b"2", b"3")
    resend.settle([b"1", b"2"])
    resend.move(b"2")
    assert resend.span == 1
    assert resend.passed() is None


def test_a_checkpoint_whose_answer_was_lost_is_not_counted_again() -> None:
    resend = window(b"1", b"2", b"3")
    resend.settle([b"1", b"2"])
    resend.align(b"1", [b"2", b"3"])
    assert resend.passed() == Passed(b"2", 1, 3)


def test_a_move_whose_answer_was_lost_is_not_counted() -> None:
    resend = window(b"1", b"2")
    resend.align(None, [b"2"])
    assert b"1" not in resend
    assert resend.passed() == Passed(b"1", 0, 0)


def test_the_cursor_is_the_entry_read_last() -> None:
    assert ResendWindow(b"5").cursor == b"5"
    assert window(b"1", b"2").cursor == b"2"


@given(st.permutations(range(12)), st.integers(0, 12))
def test_in_whatever_order_entries_settle_each_is_counted_once(order: list[int], step: int) -> None:
    names = [b"%02d" % number for number in range(12)]
    resend = window(*names)
    counted = 0
    for number in order:
        resend.settle([names[number]])
        if number % (step + 1) == 0 and (passed := resend.passed()):
            counted += passed.entries
            resend.move(passed.checkpoint)
    if passed := resend.passed():
        counted += passed.entries
        assert passed.checkpoint == names[-1]
    assert counted == 12


def test_what_was_read_and_not_passed_is_counted_until_the_checkpoint_moves():
    window = ResendWindow()
    window.add([Entry(b"1-0", b"a"), Entry(b"2-0", b"b"), Entry(b"3-0", b"c")])
    window.settle([b"1-0"])
    window.take_out([b"2-0"])
    assert window.unpassed == 2
    window.move(b"1-0")
    assert window.unpassed == 1
