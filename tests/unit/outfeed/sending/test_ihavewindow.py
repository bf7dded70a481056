"""Sender and receiver of a connection that does not stream."""

import pytest

from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.ihavewindow import IhaveWindow
from forebay.outfeed.sending.nocheck import NoCheckFilter, NoCheckSettings
from recordingfeed import RecordingFeed, article, tokens

FIRST = b"<0@t>"


class Bench:
    """A window with its feed, and what it wrote."""

    def __init__(self, count=2, **feed):
        self.feed = RecordingFeed(tokens(count), **feed)
        self.woken = 0
        self.window = IhaveWindow(self.feed, NoCheckFilter(NoCheckSettings()), self.wake)

    def wake(self):
        self.woken += 1

    def fill(self, now=0.0):
        return b"".join(self.window.fill(now))

    def reply(self, *lines):
        self.window.receive(b"".join(line + b"\r\n" for line in lines), 1.0)
        return self.window.fault


def test_one_article_is_offered_at_a_time():
    bench = Bench()
    assert bench.fill() == b"IHAVE <0@t>\r\n"
    assert bench.fill() == b""
    assert (bench.window.unanswered, bench.window.room, bench.window.empty) == (1, 0, False)
    assert bench.window.waiting_since == 0.0
    assert bench.window.next_unanswered == "IHAVE <0@t>"


def test_an_article_that_is_wanted_is_sent_before_the_next_is_offered():
    bench = Bench()
    bench.fill()
    bench.reply(b"335 send it")
    assert bench.fill() == article(FIRST)
    assert not bench.feed.settled
    bench.reply(b"235 thanks")
    assert bench.feed.settled == [(FIRST, Outcome.ACCEPTED, "235")]
    assert bench.fill() == b"IHAVE <1@t>\r\n"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (b"435 have it", Outcome.REFUSED),
        (b"436 later", Outcome.DEFERRED),
        (b"403 disk", Outcome.DEFERRED),
        (b"437 no", Outcome.FAILED),
        (b"501 bad id", Outcome.FAILED),
    ],
)
def test_answers_to_an_offer(line, outcome):
    bench = Bench()
    bench.fill()
    assert bench.reply(line) is None
    assert bench.feed.settled == [(FIRST, outcome, line.decode())]
    assert bench.window.empty


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (b"436 disk", Outcome.DEFERRED),
        (b"403 disk", Outcome.DEFERRED),
        (b"437 no such group", Outcome.REJECTED),
        (b"335 again", Outcome.FAILED),
        (b"500 what", Outcome.FAILED),
    ],
)
def test_answers_to_an_article(line, outcome):
    bench = Bench()
    bench.fill()
    bench.reply(b"335 go")
    bench.fill()
    bench.reply(line)
    assert bench.feed.settled == [(FIRST, outcome, line.decode())]


def test_a_body_may_have_to_be_read_first():
    bench = Bench(cold=[FIRST])
    bench.fill()
    bench.reply(b"335 go")
    assert bench.fill() == b""
    assert bench.fill() == b""
    assert bench.window.waiting_since is None
    assert len(bench.feed.loads) == 1
    bench.feed.warm()
    assert bench.woken == 1
    assert bench.fill() == article(FIRST)


def test_a_body_that_is_read_after_the_end_is_nobodys():
    bench = Bench(cold=[FIRST])
    bench.fill()
    bench.reply(b"335 go")
    bench.fill()
    assert bench.window.abandon() == tokens(1)
    bench.feed.warm()
    assert bench.woken == 0


def test_a_body_that_is_gone_ends_the_connection():
    bench = Bench(gone=[FIRST])
    bench.fill()
    bench.reply(b"335 go")
    assert bench.fill() == b""
    assert bench.feed.outcomes == {FIRST: Outcome.MISSING}
    assert bench.window.fault.reason == "the article that the peer waits for is gone"
    assert bench.window.abandon() == []


@pytest.mark.parametrize("said", [[], [b"335 go"]])
def test_what_is_not_settled_is_given_back(said):
    bench = Bench()
    bench.fill()
    bench.reply(*said)
    assert bench.window.abandon() == tokens(1)
    assert bench.window.room == 0


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ([b"400 bye"], Cause.REFUSED),
        ([b"480 log in"], Cause.AUTH_FAILED),
        ([b"hello"], Cause.PROTOCOL_ERROR),
        ([b"435 no", b"435 no"], Cause.PROTOCOL_ERROR),
        ([b"335 go", b"235 thanks"], Cause.PROTOCOL_ERROR),
        ([b"436 <9@t>"], Cause.PROTOCOL_ERROR),
        ([b"x" * 5000], Cause.PROTOCOL_ERROR),
    ],
)
def test_what_ends_the_connection(lines, cause):
    bench = Bench()
    bench.fill()
    assert bench.reply(*lines).cause is cause


def test_replies_may_come_in_pieces():
    bench = Bench()
    bench.fill()
    for octet in b"335 go\r\n":
        bench.window.receive(bytes([octet]), 1.0)
    assert bench.fill() == article(FIRST)


def test_it_runs_empty_when_told():
    bench = Bench()
    bench.fill()
    bench.window.taking = False
    bench.reply(b"435 have it")
    assert bench.fill() == b""
    assert bench.window.empty


def test_a_failure_before_an_article_that_is_wanted_is_a_suspect():
    bench = Bench()
    bench.fill()
    bench.reply(b"501 bad id")
    assert not bench.feed.suspects
    bench.fill()
    bench.reply(b"335 send it")
    assert bench.feed.suspects == [FIRST]
