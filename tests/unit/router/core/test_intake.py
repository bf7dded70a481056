import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core import intake as intakes
from forebay.router.core.flags import Flag
from forebay.router.core.intake import Intake, Judgement, Verdict

TAKE, REPEAT = Judgement(Verdict.TAKE), Judgement(Verdict.REPEAT)


def parcel(first, count=1, floor=1, sender="a@x", incarnation=1, recipient="b@x", flags=0):
    return pb.Parcel(
        sender=sender,
        recipient=recipient,
        incarnation=incarnation,
        first=first,
        count=count,
        floor=floor,
        flags=int(flags),
    )


@pytest.fixture
def intake():
    return Intake()


def test_each_message_is_taken_once(intake):
    assert intake.judge(parcel(1, 3)) == TAKE
    assert intake.judge(parcel(1, 3)) == REPEAT
    assert intake.judge(parcel(4)) == TAKE
    assert intake.judge(parcel(2, 2)) == REPEAT


def test_what_overlaps_is_taken_without_its_front(intake):
    intake.judge(parcel(1, 3))
    assert intake.judge(parcel(2, 5)) == Judgement(Verdict.TAKE, skip=2)
    assert intake.judge(parcel(6)) == REPEAT
    assert intake.judge(parcel(7)) == TAKE


def test_what_comes_too_early_has_to_come_again(intake):
    intake.judge(parcel(1, 3))
    assert intake.judge(parcel(6)) == Judgement(Verdict.GAP, expected=4)
    assert intake.judge(parcel(4, 2)) == TAKE
    assert intake.judge(parcel(6)) == TAKE


def test_what_may_come_in_any_order_is_taken_early_and_once(intake):
    intake.judge(parcel(1, 3))
    early = parcel(6, 2, flags=Flag.OUT_OF_ORDER_OK)
    assert intake.judge(early) == TAKE
    assert intake.judge(early) == REPEAT
    assert intake.judge(parcel(8)) == Judgement(Verdict.GAP, expected=4)
    assert intake.judge(parcel(4, 2)) == TAKE
    assert intake.judge(early) == REPEAT
    assert intake.judge(parcel(8)) == TAKE


def test_too_much_that_is_early_has_to_come_again(intake, monkeypatch):
    monkeypatch.setattr(intakes, "MOST_EARLY", 2)
    intake.judge(parcel(1))
    judged = [intake.judge(parcel(first, flags=Flag.OUT_OF_ORDER_OK)).verdict for first in (3, 5, 7)]
    assert judged == [Verdict.TAKE, Verdict.TAKE, Verdict.GAP]


def test_what_was_dropped_on_the_way_is_not_waited_for(intake):
    intake.judge(parcel(1, 3))
    assert intake.judge(parcel(9, floor=9)) == TAKE
    assert intake.judge(parcel(5, floor=5)) == REPEAT


def test_what_another_of_our_name_received_is_not_waited_for(intake):
    assert intake.judge(parcel(9, floor=7)) == Judgement(Verdict.GAP, expected=7)
    assert intake.judge(parcel(7, 3, floor=7)) == TAKE


def test_senders_their_incarnations_and_recipients_are_told_apart(intake):
    assert intake.judge(parcel(1)) == TAKE
    assert intake.judge(parcel(1, sender="c@x")) == TAKE
    assert intake.judge(parcel(1, incarnation=2)) == TAKE
    assert intake.judge(parcel(1, recipient="d@x")) == TAKE
    assert intake.judge(parcel(1)) == REPEAT


def test_a_recipient_that_begins_anew_has_received_nothing(intake):
    intake.judge(parcel(1))
    intake.judge(parcel(1, recipient="d@x"))
    intake.forget_recipient("b@x")
    assert intake.judge(parcel(1)) == TAKE
    assert intake.judge(parcel(1, recipient="d@x")) == REPEAT


def test_of_too_many_senders_the_one_that_was_silent_longest_is_forgotten(intake, monkeypatch):
    monkeypatch.setattr(intakes, "MOST_SOURCES", 2)
    intake.judge(parcel(1, sender="a@x"))
    intake.judge(parcel(1, sender="b@x"))
    intake.judge(parcel(2, sender="a@x"))
    intake.judge(parcel(1, sender="c@x"))
    assert intake.judge(parcel(1, sender="a@x")) == REPEAT
    assert len(intake) == 2
