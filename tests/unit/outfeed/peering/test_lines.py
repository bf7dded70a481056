"""The lines of a peer: when one is opened, which host it goes to, and how long the next try waits."""

import asyncio

import pytest

from fakeclock import FakeClock, settle
from forebay.outfeed.peering.breaks import REMEMBERED, Breaks
from forebay.outfeed.peering.growth import PERIOD, GrowthSettings
from forebay.outfeed.peering.lines import Lines, LineSettings
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.ending import Cause
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.login import Login
from forebay.runtime.backoff import BackoffSettings
from forebay.runtime.secret import Secret
from recordingfeed import RecordingFeed, tokens

HOSTS = (("one.example", 119), ("two.example", 119), ("2001:db8::3", 433))
RECONNECT = BackoffSettings(first=2.0, longest=16.0, jitter=0.0)


class Source(RecordingFeed):
    """Notes the coming and going of the first and last line too."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []

    def connected(self) -> None:
        self.events.append("connected")

    def disconnected(self) -> None:
        self.events.append("disconnected")

    def broke(self, token) -> None:
        self.events.append(f"broke at {token.seq}")


def settings(**changes):
    return LineSettings(
        **{"hosts": HOSTS, "most": 3, "reconnect": RECONNECT, "connection": ConnectionSettings(), **changes}
    )


@pytest.fixture
async def lines(made):
    return Lines("peer", Source(), settings(), FakeClock())


def wait(lines, seconds):
    lines._clock.advance(seconds)


# Opening


async def test_a_line_is_opened_at_once_when_something_waits(lines, made):
    lines.want()
    await settle()
    assert made.last.place == ("one.example", 119)
    assert (lines.dialling, lines.is_up) == (True, False)


async def test_a_new_peer_is_tried_once_even_if_nothing_waits(lines, made):
    lines.poll(0, 0.0)
    made.last.end()
    wait(lines, 60)
    lines.poll(0, 0.0)
    assert len(made.made) == 1


async def test_one_line_is_dialled_at_a_time(lines, made):
    for _ in range(5):
        lines.want()
        lines.poll(100, 0.0)
    assert len(made.made) == 1
    made.last.open(room=0)
    for _ in range(5):
        lines.poll(100, 0.0)
    assert len(made.made) == 2


async def test_another_line_is_opened_only_when_all_are_busy_twice_in_a_row(lines, made):
    lines.want()
    made.last.open(room=0)
    lines.poll(5, 0.0)
    made.last.room = 1
    lines.poll(5, 0.0)
    made.last.room = 0
    lines.poll(5, 0.0)
    assert len(made.made) == 1
    lines.poll(5, 0.0)
    assert len(made.made) == 2


async def test_no_other_line_is_opened_while_nothing_waits(lines, made):
    lines.want()
    made.last.open(room=0)
    for _ in range(5):
        lines.poll(0, 0.0)
    assert len(made.made) == 1


async def test_there_are_never_more_lines_than_allowed(lines, made):
    for _ in range(20):
        lines.poll(100, 0.0)
        if not made.last.feed.is_up:
            made.last.open(room=0)
    assert len(lines.open) == len(made.made) == 3


async def test_the_source_is_told_of_the_first_line_and_of_the_last(lines, made):
    lines.want()
    first = made.last
    first.open(room=0)
    lines.poll(5, 0.0)
    lines.poll(5, 0.0)
    made.last.open()
    assert lines.source.events == ["connected"]
    first.end()
    assert lines.source.events == ["connected"]
    made.last.end()
    assert lines.source.events == ["connected", "disconnected"]


async def test_a_line_that_never_came_up_is_no_loss(lines, made):
    lines.want()
    made.last.end("cannot connect")
    assert lines.source.events == []


async def test_a_line_that_came_up_is_woken(lines, made):
    lines.want()
    made.last.open()
    assert made.last.wakes == 1


async def test_the_oldest_line_with_room_is_woken(lines, made):
    lines.want()
    made.last.open(room=0)
    lines.poll(5, 0.0)
    lines.poll(5, 0.0)
    made.last.open()
    lines.wake()
    assert [connection.wakes for connection in made.made] == [1, 2]
    made.made[0].room = 1
    lines.wake()
    assert [connection.wakes for connection in made.made] == [2, 2]


async def test_every_line_is_polled(lines, made):
    lines.want()
    lines.poll(0, 0.0)
    lines.poll(0, 0.0)
    assert made.last.polls == 2


# Failing


async def test_after_a_failure_the_next_host_is_tried(lines, made):
    for _ in range(4):
        lines.want()
        await settle()
        made.last.end("cannot connect")
        wait(lines, 60)
    assert [connection.place for connection in made.made] == [*HOSTS, HOSTS[0]]


async def test_addresses_are_shown_with_their_port(lines, made):
    shown = []
    for _ in HOSTS:
        lines.want()
        shown.append(made.last.feed.address)
        made.last.end()
        wait(lines, 60)
    assert shown == ["one.example:119", "two.example:119", "[2001:db8::3]:433"]


async def test_failures_in_a_row_double_the_wait(lines, made):
    waits = []
    for _ in range(5):
        lines.want()
        made.last.end("cannot connect")
        waits.append(lines.next_try_in)
        wait(lines, waits[-1])
    assert waits == [2, 4, 8, 16, 16]


async def test_nothing_is_opened_before_it_is_time(lines, made):
    lines.want()
    made.last.end("cannot connect")
    wait(lines, 1.9)
    lines.want()
    lines.poll(5, 0.0)
    lines.poll(5, 0.0)
    assert len(made.made) == 1
    wait(lines, 0.1)
    lines.poll(5, 0.0)
    assert len(made.made) == 2


async def test_a_greeting_alone_does_not_reset_the_wait(lines, made):
    for expected in (2, 4, 8):
        lines.want()
        made.last.open()
        made.last.end("closed at greeting")
        assert lines.next_try_in == expected
        wait(lines, expected)


@pytest.mark.parametrize("outcome", [Outcome.ACCEPTED, Outcome.REFUSED, Outcome.REJECTED, Outcome.DEFERRED])
async def test_the_first_answer_about_an_article_resets_the_wait(lines, made, outcome):
    for expected in (2, 4):
        lines.want()
        made.last.end("cannot connect")
        wait(lines, expected)
    lines.want()
    made.last.open()
    made.last.answer(outcome)
    made.last.end()
    assert lines.next_try_in == 2


async def test_a_body_that_is_gone_is_no_answer_of_the_peer(lines, made):
    lines.want()
    made.last.end("cannot connect")
    wait(lines, 2)
    lines.want()
    made.last.open()
    made.last.answer(Outcome.MISSING)
    made.last.end()
    assert lines.next_try_in == 4


async def test_the_reason_and_time_of_the_last_failure_are_kept(lines, made):
    lines.want()
    made.last.end("cannot connect to one.example port 119")
    assert lines.last_error == "cannot connect to one.example port 119"
    assert lines.last_error_at == lines._clock.wall()


async def test_why_no_line_is_up_is_told_until_one_is(lines, made):
    lines.want()
    made.last.end("AUTHINFO PASS was answered: 481 no", Cause.AUTH_FAILED)
    assert lines.error_cause is Cause.AUTH_FAILED
    wait(lines, 60)
    lines.want()
    assert lines.error_cause is Cause.AUTH_FAILED
    made.last.open()
    assert lines.error_cause is None
    assert lines.last_error
    made.last.close("nothing to send")
    assert lines.error_cause is None


async def test_while_a_line_is_up_the_failure_of_another_counts_for_nothing(lines, made):
    lines.want()
    made.last.open(room=0)
    lines.poll(10, 0.0)
    lines.poll(10, 0.0)
    made.last.end("502 too many connections", Cause.REFUSED)
    assert (lines.error_cause, lines.last_error) == (None, "502 too many connections")


async def test_a_peer_that_is_wrong_altogether_has_a_cause_of_its_own(lines, made):
    lines.want()
    made.last.open()
    lines.fail("the peer answers nothing but errors")
    assert lines.error_cause is Cause.ARTICLES_FAILED


async def test_a_line_that_was_asked_to_end_is_no_failure(lines, made):
    lines.want()
    made.last.open()
    made.last.close("nothing to send")
    assert (lines.last_error, lines.next_try_in) == ("", 0)
    lines.want()
    await settle()
    assert made.last.place == HOSTS[0]


async def test_a_peer_that_is_wrong_altogether_is_left_alone_as_long_as_one_that_cannot_be_reached(lines, made):
    lines.want()
    made.last.open()
    lines.fail("the peer answers nothing but errors")
    assert not lines.open
    assert (lines.last_error, lines.next_try_in) == ("the peer answers nothing but errors", 2)


async def test_a_peer_that_stays_wrong_is_tried_ever_more_seldom(lines, made):
    waits = []
    for _ in range(3):
        lines.want()
        made.last.open()
        made.last.answer(Outcome.FAILED, "502 go away")
        lines.fail("the peer answers nothing but errors")
        waits.append(lines.next_try_in)
        wait(lines, waits[-1])
    assert waits == [2, 4, 8]


# How many, and when


async def test_as_many_as_are_wished_are_opened_at_the_start_one_after_the_other(made):
    lines = Lines("peer", Source(), settings(initial=2), FakeClock())
    for _ in range(4):
        lines.poll(0, 0.0)
        if made.last.room == 0:
            made.last.open()
    assert len(made.made) == 2


async def test_none_may_be_wished_at_the_start(made):
    lines = Lines("peer", Source(), settings(initial=0), FakeClock())
    lines.poll(0, 0.0)
    assert not made.made
    lines.poll(1, 0.0)
    assert len(made.made) == 1


async def test_the_first_line_waits_for_the_start_delay(made):
    lines = Lines("peer", Source(), settings(start_delay=20.0), FakeClock())
    lines.want()
    lines.poll(5, 0.0)
    wait(lines, 19.9)
    lines.poll(5, 0.0)
    assert not made.made
    assert lines.next_try_in == 0, "it is no failure"
    wait(lines, 0.2)
    lines.poll(5, 0.0)
    assert len(made.made) == 1


async def test_the_queue_bounds_how_many_lines_there_are(made):
    growth = GrowthSettings(by_queue=True, filter=0.0)
    lines = Lines("peer", Source(), settings(growth=growth), FakeClock())
    lines.want()
    made.last.open(room=0)
    for _ in range(5):
        lines.poll(100, 0.1)
    assert len(made.made) == 1
    lines.poll(100, 0.9)
    made.last.open(room=0)
    assert len(lines.open) == 2
    lines.poll(100, 0.0)
    assert [connection.ended for connection in made.made] == ["", "fewer connections do as well"]
    lines.renew(settings(), 10.0)
    lines.poll(100, 0.0)
    lines.poll(100, 0.0)
    assert len(made.made) == 3


async def test_lines_at_the_start_that_there_may_not_be_are_not_opened_later(made):
    growth = GrowthSettings(by_queue=True)
    lines = Lines("peer", Source(), settings(initial=3, growth=growth), FakeClock())
    for _ in range(3):
        lines.poll(0, 0.0)
        if made.last.room == 0:
            made.last.open()
    made.last.close("nothing to send")
    for _ in range(3):
        lines.poll(0, 0.0)
    assert len(made.made) == 1


async def test_articles_a_second_bound_how_many_lines_there_are(made):
    lines = Lines("peer", Source(), settings(growth=GrowthSettings(by_rate=True)), FakeClock())
    lines.want()
    made.last.open(room=0)
    for _ in range(3 * PERIOD):
        for line in lines.open:
            # The peer takes five a second, however many lines there are.
            line.settle(Outcome.ACCEPTED, tokens(5 // len(lines.open)), "239")
        lines.poll(100, 1.0)
        if lines.dialling:
            made.last.open(room=0)
    assert [connection.ended for connection in made.made] == ["", "fewer connections do as well"]


# Holding, changing


async def test_a_line_is_opened_with_the_login_of_the_moment(lines, made):
    lines.renew(settings(login=Login("feeder", Secret("old"))), 10.0)
    lines.want()
    made.last.open()
    lines.renew(settings(login=Login("feeder", Secret("new"))), 10.0)
    assert (len(lines.open), made.last.ended) == (1, "")
    assert made.last.login.password == Secret("old")
    made.last.end()
    wait(lines, 60)
    lines.want()
    assert made.last.login.password == Secret("new")


async def test_a_new_login_is_tried_at_once_even_if_nothing_waits(lines, made):
    lines.renew(settings(login=Login("feeder", Secret("old"))), 10.0)
    lines.want()
    made.last.end("481 no", Cause.AUTH_FAILED)
    lines.poll(0, 0.0)
    assert len(made.made) == 1
    lines.renew(settings(login=Login("feeder", Secret("new"))), 10.0)
    lines.poll(0, 0.0)
    assert len(made.made) == 2


async def test_while_held_no_line_is_open_and_none_is_opened(lines, made):
    lines.want()
    made.last.open()
    lines.hold("paused", 10.0)
    assert (made.last.ended, made.last.grace) == ("paused", 10.0)
    lines.want()
    lines.poll(100, 0.0)
    lines.poll(100, 0.0)
    assert len(made.made) == 1


async def test_holding_lets_what_is_in_flight_be_answered(lines, made):
    lines.want()
    made.last.open()
    made.last.unanswered = 3
    lines.hold("paused", 10.0)
    gone = asyncio.ensure_future(lines.gone())
    await settle()
    assert lines.is_up
    assert not gone.done()
    made.last.end("paused")
    await gone
    assert not lines.is_up


async def test_gone_is_done_at_once_without_lines(lines):
    await lines.gone()


async def test_after_a_release_a_line_may_be_opened_at_once(lines, made):
    lines.want()
    made.last.end("cannot connect")
    lines.hold("paused", 0)
    lines.release()
    lines.want()
    assert len(made.made) == 2


async def test_lines_to_another_place_take_the_place_of_the_old_ones(lines, made):
    lines.want()
    made.last.open()
    lines.renew(settings(hosts=(("new.example", 119),)), 10.0)
    assert (made.last.ended, made.last.grace) == ("the settings changed", 10.0)
    lines.want()
    await settle()
    assert made.last.place == ("new.example", 119)


async def test_lines_of_another_kind_take_the_place_of_the_old_ones(lines, made):
    lines.want()
    made.last.open()
    lines.renew(settings(connection=ConnectionSettings(window=5)), 10.0)
    lines.want()
    assert made.last.settings.window == 5
    assert len(made.made) == 2


async def test_surplus_lines_end_when_fewer_are_allowed(lines, made):
    lines.want()
    made.last.open(room=0)
    lines.poll(5, 0.0)
    lines.poll(5, 0.0)
    made.last.open(room=0)
    lines.renew(settings(most=1), 10.0)
    assert [connection.ended for connection in made.made] == ["", "the settings changed"]
    lines.poll(5, 0.0)
    lines.poll(5, 0.0)
    assert len(made.made) == 2


async def test_settings_that_do_not_concern_a_line_leave_it_alone(lines, made):
    lines.want()
    made.last.open()
    lines.renew(settings(reconnect=BackoffSettings(first=7.0, jitter=0.0)), 10.0)
    assert not made.last.ended
    made.last.end()
    assert lines.next_try_in == 7


async def test_a_line_passes_on_what_its_connection_asks(lines, made):
    lines.want()
    feed = made.last.feed
    lines.source.waiting = tokens(3)
    assert feed.take(2) == tokens(2)
    feed.suspect(tokens(1))
    assert lines.source.suspects == [b"<0@t>"]
    feed.give_back(tokens(1))
    assert lines.source.given_back == tokens(1)
    made.last.answer(Outcome.REFUSED)
    assert feed.outcomes == {Outcome.REFUSED: 1}
    assert len(feed.load([], print)) == 0


async def test_a_name_that_cannot_be_looked_up_is_a_failure_like_others():
    lines = Lines("peer", Source(), settings(hosts=(("news..example", 119),)), FakeClock())
    lines.want()
    for _ in range(100):
        await asyncio.sleep(0.001)
        if not lines.dialling:
            break
    assert not lines.dialling
    assert lines.last_error


# Articles at which the peer breaks the connection


def reopen(lines, made):
    wait(lines, 60)
    lines.want()
    made.last.open()
    return made.last


def break_with(connection, articles):
    connection.feed.give_back(articles)
    connection.end()


@pytest.fixture
async def careful(lines, made):
    """Lines of which three broke with the same five articles."""
    lines.source.waiting = tokens(5)
    for _ in range(3):
        connection = reopen(lines, made)
        articles = connection.feed.take(10)
        assert len(articles) == 5
        break_with(connection, articles)
        lines.source.waiting = tokens(5)
    return lines


async def test_articles_with_which_lines_broke_go_one_by_one_until_all_are_answered(careful, made):
    connection = reopen(careful, made)
    for _ in range(5):
        article = connection.feed.take(10)
        assert len(article) == 1
        assert connection.feed.take(10) == []
        connection.feed.settle(Outcome.ACCEPTED, article, "239")
    careful.source.waiting = tokens(9)
    assert len(connection.feed.take(10)) == 9


async def test_the_one_that_is_alone_on_a_line_that_breaks_makes_way(careful, made):
    connection = reopen(careful, made)
    connection.feed.settle(Outcome.ACCEPTED, connection.feed.take(10), "239")
    (article,) = connection.feed.take(10)
    before = len(careful.source.given_back)
    break_with(connection, [article])
    assert f"broke at {article.seq}" in careful.source.events
    assert len(careful.source.given_back) == before
    assert len(reopen(careful, made).feed.take(10)) == 3, "the others go together again"


async def test_a_line_that_we_end_tells_nothing_of_its_articles(lines, made):
    for _ in range(5):
        connection = reopen(lines, made)
        connection.asked_to_end = True
        break_with(connection, tokens(1))
    assert not lines.breaks.careful
    assert not [event for event in lines.source.events if event.startswith("broke")]


async def test_lines_that_break_with_other_articles_each_time_are_no_reason_for_care(lines, made):
    for article in tokens(300):
        break_with(reopen(lines, made), [article])
    assert not lines.breaks.careful


def test_articles_that_were_answered_are_forgotten():
    breaks = Breaks()
    for _ in range(2):
        breaks.broke(tokens(5))
    breaks.answered(tokens(5))
    assert not breaks.broke(tokens(5))
    assert not breaks.careful


def test_what_is_remembered_of_breaks_is_bounded():
    breaks = Breaks()
    many = tokens(2 * REMEMBERED)
    for first in range(0, len(many), 1000):
        assert not breaks.broke(many[first : first + 1000])
        assert len(breaks._times) <= REMEMBERED
