"""Answers of trackers over HTTP."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.upstream.answer import plain, read_answer
from trackers import bencode

V4 = bytes([192, 0, 2, 1]) + b"\x1a\xe1"
V6 = bytes.fromhex("20010db8000000000000000000000001") + b"\x1a\xe1"


def read(fields):
    return read_answer(bencode(fields)).outcome


def test_an_answer_with_everything():
    fields = {"interval": 900, "min interval": 600, "complete": 3, "incomplete": 4, "peers": V4, "peers6": V6}
    assert read(fields) == Answer(900.0, V4, V6, 3, 4)


def test_an_answer_with_nothing():
    assert read({}) == Answer(interval=1800.0)


def test_dictionaries():
    peers = [{"ip": "::ffff:192.0.2.1", "port": 6881}, {"ip": "2001:db8::1", "port": 6881}]
    assert read({"interval": 900, "peers": peers}) == Answer(900.0, V4, V6)


@pytest.mark.parametrize(("interval", "seconds"), [(-5, 300.0), (10**12, 10_800.0), ("soon", 1800.0)])
def test_a_nonsense_interval(interval, seconds):
    assert read({"interval": interval}).interval == seconds


def test_counts_that_are_none():
    assert read({"complete": -1, "incomplete": "many"}) == Answer(interval=1800.0)


@pytest.mark.parametrize(
    ("retry", "wait"), [(5, 300.0), ("5", 300.0), ("never", math.inf), (0, None), (-1, None), ("abc", None)]
)
def test_retry_in(retry, wait):
    failed = read({"failure reason": "overloaded", "retry in": retry})
    cause = Cause.RETRY_NEVER if wait == math.inf else Cause.FAILURE_REASON
    assert failed == Failure(cause, "overloaded", wait)


@pytest.mark.parametrize("retry", [0, -1, "abc"])
def test_a_failure_with_an_interval_is_left_alone_for_so_long(retry):
    failed = read({"failure reason": "unregistered torrent", "retry in": retry, "interval": 7200})
    assert failed == Failure(Cause.FAILURE_REASON, "unregistered torrent", 7200.0)


def test_retry_in_counts_more_than_the_interval():
    assert read({"failure reason": "no", "retry in": 1, "interval": 7200}).wait == 60.0


def test_a_failure_whose_reason_is_no_text():
    assert read({"failure reason": 7}) == Failure(Cause.FAILURE_REASON, "7")
    assert read({"failure reason": ""}).reason == "failure without a reason"


def test_retry_in_without_a_failure_means_nothing():
    assert read({"retry in": "never", "interval": 900}) == Answer(900.0)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html><body>502</body></html>", b"le", b"i5e", b"d8:interval", b"8:interval"],
    ids=["nothing", "html", "list", "number", "cut off", "text"],
)
def test_what_is_no_answer(body):
    assert read_answer(body).outcome.cause is Cause.BAD_ANSWER


def test_octets_behind_the_answer_are_ignored():
    assert read_answer(bencode({"interval": 900}) + b"\r\n").outcome == Answer(900.0)


def test_the_tracker_id_is_told():
    assert read_answer(bencode({"tracker id": "abc"})).tracker_id == b"abc"
    assert read_answer(bencode({})).tracker_id is None
    assert read_answer(bencode({"tracker id": "x" * 257})).tracker_id is None
    assert read_answer(bencode({"tracker id": 7})).tracker_id is None


def test_words_of_a_tracker_are_one_short_line():
    assert plain(b"a\nb\x1b[31m\xff") == "a b [31m�"
    assert len(plain(b"x" * 5000)) == 200


values = st.recursive(
    st.integers() | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.binary(max_size=8), inner, max_size=4),
    max_leaves=10,
)
KEYS = [b"failure reason", b"retry in", b"interval", b"min interval", b"peers", b"peers6", b"complete", b"tracker id"]


@given(st.dictionaries(st.sampled_from(KEYS), values))
def test_any_values_make_an_outcome(fields):
    outcome = read_answer(bencode(fields)).outcome
    if isinstance(outcome, Answer):
        assert 300 <= outcome.interval <= 10_800
    else:
        assert outcome.wait is None or outcome.wait > 0


@given(st.binary(max_size=200))
def test_any_octets_make_an_outcome(body):
    assert isinstance(read_answer(body).outcome, Answer | Failure)
