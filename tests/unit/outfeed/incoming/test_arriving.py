"""Promises of message-ids that are on their way."""

from forebay.outfeed.incoming.arriving import Arriving

ONE, OTHER = "one", "other"


def test_what_is_promised_to_one_is_not_promised_to_another():
    arriving = Arriving()
    assert arriving.claim(b"<a@b>", ONE, 0.0)
    assert not arriving.claim(b"<a@b>", OTHER, 1.0)


def test_the_same_owner_may_ask_again():
    arriving = Arriving()
    assert arriving.claim(b"<a@b>", ONE, 0.0)
    assert arriving.claim(b"<a@b>", ONE, 1.0)


def test_a_promise_lapses():
    arriving = Arriving(patience=5.0)
    arriving.claim(b"<a@b>", ONE, 0.0)
    assert not arriving.claim(b"<a@b>", OTHER, 4.9)
    assert arriving.claim(b"<a@b>", OTHER, 5.0)
    assert not arriving.claim(b"<a@b>", ONE, 6.0)


def test_what_has_arrived_is_free():
    arriving = Arriving()
    arriving.claim(b"<a@b>", ONE, 0.0)
    arriving.release([b"<a@b>", b"<never@b>"])
    assert arriving.claim(b"<a@b>", OTHER, 0.0)


def test_who_goes_takes_its_promises_along():
    arriving = Arriving()
    arriving.claim(b"<a@b>", ONE, 0.0)
    arriving.claim(b"<c@b>", OTHER, 0.0)
    arriving.forget(ONE)
    assert arriving.claim(b"<a@b>", OTHER, 0.0)
    assert not arriving.claim(b"<c@b>", ONE, 0.0)


def test_the_oldest_gives_way_when_there_are_too_many():
    arriving = Arriving(limit=2)
    for name in (b"<a@b>", b"<c@b>", b"<e@b>"):
        arriving.claim(name, ONE, 0.0)
    assert len(arriving) == 2
    assert arriving.claim(b"<a@b>", OTHER, 0.0)
    assert not arriving.claim(b"<e@b>", OTHER, 0.0)
