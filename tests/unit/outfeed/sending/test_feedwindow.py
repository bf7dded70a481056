"""Sender and receiver of a connection, without sockets."""

import pytest
import structlog

from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.feedwindow import BATCH_BYTES, FeedWindow
from forebay.outfeed.sending.nocheck import NoCheckFilter, NoCheckSettings
from forebay.outfeed.sending.replies import TOO_LONG
from recordingfeed import RecordingFeed, article, tokens


class Bench:
    """A window with its feed, and what it wrote."""

    def __init__(self, count=0, *, size=100, skip=False, **feed):
        self.feed = RecordingFeed(tokens(count), **feed)
        nocheck = NoCheckFilter(NoCheckSettings())
        nocheck.accepted(10_000 * skip)
        self.woken = 0
        self.window = FeedWindow(self.feed, size, nocheck, self.wake)
        self.now = 0.0

    def wake(self):
        self.woken += 1

    def fill(self):
        """All that can be written now."""
        written = b""
        while batch := self.window.fill(self.now):
            written += b"".join(batch)
        return written

    def reply(self, *lines):
        self.window.receive(b"".join(line + b"\r\n" for line in lines), self.now)
        return self.window.fault


def checks(*numbers):
    return b"".join(b"CHECK <%d@t>\r\n" % number for number in numbers)


def bodies(*numbers):
    return b"".join(b"TAKETHIS <%d@t>\r\n" % number + article(b"<%d@t>" % number) for number in numbers)


def lines(code, *numbers):
    return [b"%d <%d@t>" % (code, number) for number in numbers]


def ids(*numbers):
    return [b"<%d@t>" % number for number in numbers]


# The sender


def test_the_window_is_filled_with_check_in_one_batch():
    bench = Bench(5, size=3)
    assert bench.window.fill(0.0) == [checks(0, 1, 2)]
    assert bench.window.fill(0.0) == []
    assert bench.window.unanswered == 3


def test_nothing_to_take_writes_nothing():
    assert Bench().fill() == b""


def test_each_settled_article_makes_room_for_one():
    bench = Bench(5, size=3)
    bench.fill()
    bench.reply(*lines(438, 0, 1))
    assert bench.fill() == checks(3, 4)


def test_wanted_articles_go_before_new_checks():
    bench = Bench(4, size=3)
    bench.fill()
    bench.reply(*lines(238, 0), *lines(438, 1))
    assert bench.fill() == bodies(0) + checks(3)


def test_bodies_of_one_read_are_loaded_together():
    bench = Bench(3)
    bench.fill()
    bench.reply(*lines(238, 0, 1, 2))
    bench.fill()
    assert bench.feed.loads == [ids(0, 1, 2)]


def test_wanted_articles_count_towards_the_window():
    bench = Bench(10, size=3, cold=ids(0))
    bench.fill()
    bench.reply(*lines(238, 0, 1))
    assert bench.window.room == 0
    assert bench.fill() == b""


def test_bodies_are_loaded_by_octets():
    bench = Bench(skip=True)
    bench.feed.waiting = tokens(3, size=BATCH_BYTES)
    assert b"".join(bench.window.fill(0.0)) == bodies(0)
    assert bench.fill() == bodies(1, 2)
    assert bench.feed.loads == [ids(0), ids(1), ids(2)]


def test_a_missing_body_is_settled_and_not_sent():
    bench = Bench(3, gone=ids(1))
    bench.fill()
    bench.reply(*lines(238, 0, 1, 2))
    assert bench.fill() == bodies(0, 2)
    assert bench.feed.settled == [(b"<1@t>", Outcome.MISSING, "")]


def test_when_all_bodies_are_missing_the_next_articles_go_out():
    bench = Bench(5, size=2, skip=True, gone=ids(0, 1, 2, 3))
    assert bench.fill() == bodies(4)
    assert len(bench.feed.settled) == 4


# Cold bodies


def test_check_goes_on_while_bodies_are_read():
    bench = Bench(4, size=3, cold=ids(0))
    bench.fill()
    bench.reply(*lines(238, 0), *lines(438, 1, 2))
    assert bench.fill() == checks(3)
    assert not bench.woken
    bench.feed.warm()
    assert bench.woken == 1
    assert bench.fill() == bodies(0)


def test_bodies_stay_in_order_when_some_are_cold():
    bench = Bench(4, cold=ids(0))
    bench.fill()
    bench.reply(*lines(238, 0))
    assert bench.fill() == b""
    bench.reply(*lines(238, 1, 2, 3))
    assert bench.fill() == b""
    bench.feed.warm()
    assert bench.fill() == bodies(0, 1, 2, 3)


def test_cold_bodies_are_read_ahead_of_the_replies_without_check():
    bench = Bench(4, size=2, skip=True, cold=ids(0, 2))
    assert bench.fill() == b""
    bench.feed.warm()
    assert bench.fill() == bodies(0, 1)
    bench.reply(*lines(239, 0))
    bench.fill()
    bench.feed.warm()
    assert bench.fill() == bodies(2)


def test_bodies_that_come_after_the_end_are_ignored():
    bench = Bench(2, cold=ids(0))
    bench.fill()
    bench.reply(*lines(238, 0, 1))
    bench.fill()
    bench.window.abandon()
    bench.feed.warm()
    assert not bench.woken
    assert bench.fill() == b""


# Replies


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (431, Outcome.DEFERRED),
        (436, Outcome.DEFERRED),
        (403, Outcome.DEFERRED),
        (438, Outcome.REFUSED),
        (500, Outcome.FAILED),
        (501, Outcome.FAILED),
        (504, Outcome.FAILED),
        (599, Outcome.FAILED),
        (239, Outcome.FAILED),
        (439, Outcome.FAILED),
        (335, Outcome.FAILED),
        (111, Outcome.FAILED),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_replies_to_check(code, outcome, named):
    bench = Bench(3)
    bench.fill()
    line = b"%d <1@t>" % code if named else b"%d" % code
    assert bench.reply(*lines(238, 0), line, *lines(238, 2)) is None
    assert bench.feed.settled == [(b"<1@t>", outcome, str(code))]
    assert bench.fill() == bodies(0, 2)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (239, Outcome.ACCEPTED),
        (439, Outcome.REJECTED),
        (431, Outcome.REJECTED),
        (436, Outcome.DEFERRED),
        (403, Outcome.DEFERRED),
        (500, Outcome.FAILED),
        (501, Outcome.FAILED),
        (238, Outcome.FAILED),
        (438, Outcome.FAILED),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_replies_to_takethis(code, outcome, named):
    bench = Bench(3, skip=True)
    bench.fill()
    line = b"%d <1@t>" % code if named else b"%d" % code
    assert bench.reply(*lines(239, 0), line, *lines(239, 2)) is None
    assert bench.feed.outcomes == {b"<0@t>": Outcome.ACCEPTED, b"<1@t>": outcome, b"<2@t>": Outcome.ACCEPTED}
    assert bench.window.empty


@pytest.mark.parametrize("together", [True, False])
def test_failures_between_proper_replies_are_suspects_before_they_are_settled(together):
    bench = Bench(5)
    bench.fill()
    known = []
    bench.feed.on_settle = lambda: known.append(list(bench.feed.suspects))
    replies = [*lines(238, 0), b"501 what?", *lines(238, 2), b"501 what?", b"501 what?"]
    for some in [replies] if together else [[reply] for reply in replies]:
        bench.reply(*some)
    assert bench.feed.suspects == ids(1)
    assert known[0] == (ids(1) if together else [])
    assert set(bench.feed.outcomes.values()) == {Outcome.FAILED}


def test_a_peer_that_wants_all_and_takes_nothing_makes_no_suspects():
    bench = Bench(6, size=3)
    bench.fill()
    bench.reply(*lines(238, 0, 1, 2))
    bench.fill()
    bench.reply(*[b"500 no"] * 3)
    bench.fill()
    bench.reply(*lines(238, 3, 4, 5))
    assert list(bench.feed.outcomes.values()) == [Outcome.FAILED] * 3
    assert not bench.feed.suspects


@pytest.mark.parametrize("code", [400, 480, 483, 502, 503])
@pytest.mark.parametrize("skip", [False, True])
def test_codes_that_end_the_connection(code, skip):
    bench = Bench(4, skip=skip)
    bench.fill()
    good = 239 if skip else 438
    fault = bench.reply(*lines(good, 0), b"%d go away" % code, *lines(good, 2, 3))
    assert fault.reason.endswith(f"{code} go away")
    assert list(bench.feed.outcomes) == ids(0)
    assert [token.message_id for token in bench.window.abandon()] == ids(1, 2, 3)


def test_the_reason_is_kept_without_the_message_id():
    bench = Bench(3)
    bench.fill()
    bench.reply(b"438 <0@t> Have it", b"438 <1@t> Have it", b"438 bad Syntax error")
    assert bench.feed.calls == [(Outcome.REFUSED, 2, "438 Have it"), (Outcome.REFUSED, 1, "438 bad Syntax error")]


def test_equal_outcomes_of_one_read_are_settled_at_once():
    bench = Bench(6)
    bench.fill()
    bench.reply(*[line for number in (0, 2, 4) for line in (*lines(438, number), *lines(431, number + 1))])
    assert bench.feed.calls == [(Outcome.REFUSED, 3, "438"), (Outcome.DEFERRED, 3, "431")]


def test_texts_of_good_replies_do_not_break_up_the_bulk():
    bench = Bench(3, skip=True)
    bench.fill()
    bench.reply(b"239 <0@t> as 17", b"239 <1@t> as 18", b"239 thanks")
    assert bench.feed.calls == [(Outcome.ACCEPTED, 3, "239")]


def test_texts_of_wanted_replies_keep_the_order():
    bench = Bench(3)
    bench.fill()
    bench.reply(b"238 <0@t> a", b"238 <1@t> b", b"238 <2@t> a")
    assert bench.fill() == bodies(0, 1, 2)


def test_a_takethis_answered_with_431_is_logged():
    bench = Bench(2, skip=True)
    bench.fill()
    with structlog.testing.capture_logs() as logged:
        bench.reply(*lines(431, 0), *lines(239, 1))
    assert [(entry["log_level"], entry["articles"], entry["first"]) for entry in logged] == [("warning", 1, "<0@t>")]


def test_replies_to_check_and_takethis_in_one_read():
    bench = Bench(4, size=2)
    bench.fill()
    bench.reply(*lines(238, 0), *lines(438, 1))
    bench.fill()
    bench.reply(*lines(239, 0), *lines(238, 2))
    assert bench.feed.outcomes == {b"<1@t>": Outcome.REFUSED, b"<0@t>": Outcome.ACCEPTED}
    assert bench.fill() == bodies(2) + checks(3)


@pytest.mark.parametrize("code", [238, 431, 436, 438, 239, 439])
def test_another_message_id_ends_the_connection(code):
    bench = Bench(3)
    bench.fill()
    fault = bench.reply(*lines(438, 0), *lines(code, 2), *lines(438, 2))
    assert fault.reason == f"expected the reply for <1@t>, got: {code} <2@t>"
    assert list(bench.feed.outcomes) == ids(0)
    assert [token.message_id for token in bench.window.abandon()] == ids(1, 2)


@pytest.mark.parametrize("line", [b"", b"hello", b"23"])
def test_what_is_no_reply_ends_the_connection(line):
    bench = Bench(2)
    bench.fill()
    assert bench.reply(*lines(438, 0), line).reason.startswith("not an NNTP reply: ")
    assert [token.message_id for token in bench.window.abandon()] == ids(1)


def test_a_long_line_ends_the_connection():
    bench = Bench(1)
    bench.fill()
    assert bench.reply(b"238 <0@t> " + b"x" * 2000) == TOO_LONG


def test_a_line_without_an_end_ends_the_connection():
    bench = Bench(1)
    bench.fill()
    bench.window.receive(b"2" * 1_000_000, 0.0)
    assert bench.window.fault == TOO_LONG


def test_a_reply_without_a_command_ends_the_connection():
    bench = Bench(1)
    bench.fill()
    assert bench.reply(*lines(438, 0), *lines(438, 0)).reason == "a reply without a command: 438 <0@t>"
    assert bench.feed.outcomes == {b"<0@t>": Outcome.REFUSED}


def test_a_400_without_a_command_is_the_reason():
    assert Bench().reply(b"400 idle for too long") == (Cause.REFUSED, "400 idle for too long")


# No CHECK


def test_check_is_skipped_when_all_is_accepted():
    bench = Bench(400, size=20)
    sent = b""
    while batch := bench.fill():
        sent += batch
        commands = [line.split() for line in batch.split(b"\r\n") if line.startswith((b"CHECK", b"TAKETHIS"))]
        bench.reply(*[(b"238 " if verb == b"CHECK" else b"239 ") + name for verb, name in commands])
    assert set(bench.feed.outcomes.values()) == {Outcome.ACCEPTED}
    assert len(bench.feed.settled) == 400
    # innfeed with the same window was seen to send 172.
    assert 149 <= sent.count(b"CHECK ") <= 189


def test_refusals_bring_check_back():
    bench = Bench(8, size=7, skip=True)
    assert bench.fill() == bodies(*range(7))
    bench.reply(*lines(439, *range(6)))
    assert not bench.window.nocheck.skips
    assert bench.fill() == checks(7)


def test_failures_do_not_count_for_the_filter():
    bench = Bench(20, skip=True)
    bench.fill()
    bench.reply(*lines(501, *range(20)))
    assert bench.window.nocheck.skips


# The end


def test_nothing_is_taken_any_more_once_that_was_said():
    bench = Bench(5, size=2)
    bench.fill()
    bench.window.taking = False
    bench.reply(*lines(238, 0), *lines(438, 1))
    assert bench.fill() == bodies(0)
    bench.reply(*lines(239, 0))
    assert bench.window.empty
    assert len(bench.feed.waiting) == 3


def test_what_is_left_is_given_back_as_it_was_taken():
    bench = Bench(8, size=6, cold=ids(1))
    bench.fill()
    bench.reply(*lines(238, 0))
    bench.fill()  # 0 was sent
    bench.reply(*lines(238, 1))
    bench.fill()  # 1 is being read
    bench.reply(*lines(238, 2), *lines(438, 3))
    bench.fill()
    assert [token.message_id for token in bench.window.abandon()] == ids(0, 1, 2, 4, 5, 6)


def test_order_is_kept_over_a_change_to_no_check():
    bench = Bench(8, size=4)
    bench.fill()
    bench.window.nocheck.accepted(10_000)
    bench.reply(*lines(438, 0, 1))
    bench.fill()  # 4 and 5 went without CHECK
    bench.reply(*lines(238, 2))
    bench.fill()  # 2 goes after them
    assert [token.message_id for token in bench.window.abandon()] == ids(2, 3, 4, 5)


def test_an_abandoned_window_is_empty():
    bench = Bench(3)
    bench.fill()
    assert len(bench.window.abandon()) == 3
    assert bench.window.abandon() == []
    assert bench.window.empty
    assert bench.window.room == 0


def test_settling_may_end_the_connection():
    bench = Bench(4)
    bench.fill()
    left = []
    bench.feed.on_settle = lambda: left.extend(bench.window.abandon())
    bench.reply(*lines(438, 0), *lines(431, 1), *lines(238, 2))
    assert list(bench.feed.outcomes) == ids(0, 1)
    assert [token.message_id for token in left] == ids(2, 3)


# Time


def test_the_peer_owes_a_reply_since_the_command_or_the_last_reply():
    bench = Bench(3)
    assert bench.window.waiting_since is None
    bench.now = 5.0
    bench.fill()
    assert bench.window.waiting_since == 5.0
    bench.now = 9.0
    bench.reply(*lines(438, 0))
    assert bench.window.waiting_since == 9.0
    bench.reply(*lines(438, 1, 2))
    assert bench.window.waiting_since is None


def test_the_command_that_is_waited_for_has_a_name():
    bench = Bench(2)
    bench.fill()
    bench.reply(*lines(438, 0))
    assert bench.window.next_unanswered == "CHECK <1@t>"
