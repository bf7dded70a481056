"""The connection around its window: phases, time-outs, back-pressure, the end. The transport is a double."""

import asyncio
import socket

import pytest

from forebay.outfeed.sending.connection import QUIT_TIMEOUT, Connection, Phase
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.feedwindow import BATCH_BYTES
from forebay.outfeed.sending.nocheck import NoCheckSettings
from forebay.outfeed.sending.replies import TOO_LONG
from recordingfeed import RecordingFeed, article, tokens


class Transport(asyncio.Transport):
    """Keeps what is written. With `limit` it asks the protocol to pause, as a peer that does not read makes it do."""

    def __init__(self, protocol, limit=None):
        super().__init__(extra={"socket": self})
        self.options = []
        self.protocol = protocol
        self.limit = limit
        self.written = b""
        self.aborted = False

    def set_write_buffer_limits(self, high=None, low=None):
        self.high = high

    def setsockopt(self, *option):
        self.options.append(option)

    def write(self, data):
        assert not self.aborted
        self.written += data
        if self.limit and len(self.written) > self.limit:
            self.protocol.pause_writing()

    def writelines(self, buffers):
        self.write(b"".join(buffers))

    def abort(self):
        self.aborted = True

    def taken(self):
        """What was written since the last call."""
        written, self.written = self.written, b""
        return written


class Bench:
    """A connection with its feed and its transport."""

    def __init__(self, count=0, *, limit=None, feed=None, **settings):
        self.feed = feed or RecordingFeed(tokens(count))
        self.connection = Connection(self.feed, ConnectionSettings(**settings))
        self.transport = Transport(self.connection, limit)
        self.loop = asyncio.get_running_loop()

    def made(self):
        self.connection.connection_made(self.transport)
        return self

    def up(self):
        """Through the handshake; returns what is then written."""
        self.made()
        self.say(b"200 hello")
        self.say(b"203 go on")
        return self.transport.taken().removeprefix(b"MODE STREAM\r\n")

    def say(self, *lines):
        self.connection.data_received(b"".join(line + b"\r\n" for line in lines))

    def later(self, seconds):
        self.connection.poll(self.loop.time() + seconds)

    @property
    def returned(self):
        return self.feed.returned


def checks(*numbers):
    return b"".join(b"CHECK <%d@t>\r\n" % number for number in numbers)


def lines(code, *numbers):
    return [b"%d <%d@t>" % (code, number) for number in numbers]


def ids(*numbers):
    return [b"<%d@t>" % number for number in numbers]


# The handshake


async def test_nothing_is_sent_before_the_greeting():
    bench = Bench(1).made()
    bench.connection.wake()
    await asyncio.sleep(0)
    bench.later(1)
    assert bench.transport.written == b""


async def test_feeding_begins_after_mode_stream():
    bench = Bench(2).made()
    bench.say(b"200 hello")
    assert bench.transport.taken() == b"MODE STREAM\r\n"
    assert not bench.feed.is_up.is_set()
    bench.say(b"203 go on")
    assert bench.feed.is_up.is_set()
    assert bench.transport.taken() == checks(0, 1)


async def test_the_handshake_may_come_in_single_octets():
    bench = Bench(1).made()
    for octet in b"201 no posting\r\n203 go on\r\n":
        bench.connection.data_received(bytes([octet]))
    assert bench.transport.taken() == b"MODE STREAM\r\n" + checks(0)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([b"400 later"], "greeted with: 400 later"),
        ([b"502 no permission"], "greeted with: 502 no permission"),
        ([b"SSH-2.0"], "the answer is not an NNTP reply; is this a news server?: SSH-2.0"),
        ([b"200 hello", b"502 no"], "MODE STREAM was answered: 502 no"),
    ],
)
async def test_a_refused_handshake_ends_with_the_reason(said, reason):
    bench = Bench(1).made()
    bench.say(*said)
    assert bench.feed.reason == reason
    assert bench.transport.aborted
    assert not bench.feed.is_up.is_set()
    assert bench.connection.phase is Phase.ENDED


async def test_a_greeting_without_end_ends_the_connection():
    bench = Bench().made()
    bench.connection.data_received(b"2" * 1_000_000)
    assert (bench.feed.cause, bench.feed.reason) == TOO_LONG


async def test_replies_after_the_handshake_that_answer_nothing_end_the_connection():
    bench = Bench(1).made()
    bench.say(b"200 hello", b"203 go on", b"238 <0@t>")
    assert bench.feed.reason == "a reply without a command: 238 <0@t>"


@pytest.mark.parametrize(("said", "awaited"), [([], "the greeting"), ([b"200 hello"], "MODE STREAM")])
async def test_a_silent_handshake_times_out(said, awaited):
    bench = Bench(response_timeout=30).made()
    bench.say(*said) if said else None
    bench.later(29)
    assert bench.feed.reason is None
    bench.later(31)
    assert bench.feed.reason == f"no answer to {awaited} within 30 s"


# Feeding


async def test_an_article_goes_through_both_phases():
    bench = Bench(1)
    assert bench.up() == checks(0)
    bench.say(*lines(238, 0))
    assert bench.transport.taken() == b"TAKETHIS <0@t>\r\n" + article(b"<0@t>")
    bench.say(*lines(239, 0))
    assert bench.feed.settled == [(b"<0@t>", Outcome.ACCEPTED, "239")]
    assert bench.connection.unanswered == 0


async def test_wake_sends_what_came_since():
    bench = Bench()
    bench.up()
    bench.feed.waiting = tokens(2)
    bench.connection.wake()
    bench.connection.wake()
    assert bench.transport.taken() == b""
    await asyncio.sleep(0)
    assert bench.transport.taken() == checks(0, 1)


async def test_poll_sends_what_came_without_a_wake():
    bench = Bench()
    bench.up()
    bench.feed.waiting = tokens(1)
    bench.later(0)
    assert bench.transport.taken() == checks(0)


async def test_bodies_that_were_cold_go_out_when_they_are_read():
    bench = Bench(feed=RecordingFeed(tokens(1), cold=ids(0)))
    bench.up()
    bench.say(*lines(238, 0))
    assert bench.transport.taken() == b""
    bench.feed.warm()
    await asyncio.sleep(0)
    assert bench.transport.taken().startswith(b"TAKETHIS <0@t>\r\n")


async def test_the_owner_sees_room_and_mode():
    bench = Bench(3, window=10)
    assert bench.connection.room == 0
    bench.up()
    assert (bench.connection.room, bench.connection.unanswered, bench.connection.skips_check) == (7, 3, False)
    bench.connection.pause_writing()
    assert bench.connection.room == 0


async def test_check_is_skipped_after_many_acceptances():
    bench = Bench(3, nocheck=NoCheckSettings(filter=1))
    bench.up()
    bench.say(*lines(238, 0, 1, 2))
    bench.say(*lines(239, 0))
    assert bench.connection.skips_check


# Back-pressure


async def test_no_body_is_loaded_while_the_peer_does_not_read():
    feed = RecordingFeed(tokens(100, size=BATCH_BYTES // 2))
    bench = Bench(feed=feed, limit=1000)
    bench.up()
    bench.say(*lines(238, *range(100)))
    assert len(feed.loads) == 0
    bench.transport.taken()
    bench.transport.limit = 150
    bench.connection.resume_writing()
    assert [len(load) for load in feed.loads] == [2]


async def test_sending_goes_on_when_the_peer_reads_again():
    bench = Bench(2)
    bench.made()
    bench.connection.pause_writing()
    bench.say(b"200 hello", b"203 go on")
    assert bench.transport.taken() == b"MODE STREAM\r\n"
    bench.connection.resume_writing()
    assert bench.transport.taken() == checks(0, 1)


async def test_the_write_buffer_is_bounded():
    bench = Bench().made()
    assert bench.transport.high == BATCH_BYTES


@pytest.mark.parametrize(("count", "apart"), [(1, True), (2, False)], ids=["nothing to write", "written"])
async def test_a_read_is_acknowledged_at_once_lest_a_peer_under_nagle_waits(count, apart):
    bench = Bench(count, window=1)
    bench.up()
    bench.transport.options.clear()
    bench.say(*lines(438, 0))
    assert bench.transport.options == [(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)] * apart


async def test_the_next_commands_go_out_before_the_last_ones_are_accounted_for():
    bench = Bench(3, window=1)
    bench.up()
    bench.transport.taken()
    written = []
    bench.feed.on_settle = lambda: written.append(bench.transport.taken())
    bench.say(*lines(438, 0))
    assert written == [b"CHECK <1@t>\r\n"]


@pytest.mark.parametrize(
    ("end", "asked"),
    [
        (lambda bench: bench.connection.close("enough"), True),
        (lambda bench: bench.connection.close("enough", 5), True),
        (lambda bench: bench.later(61), True),
        (lambda bench: bench.say(b"400 going down\r\n"), False),
    ],
    ids=["closed", "closed in order", "idle", "ended by the peer"],
)
async def test_who_wanted_the_end_is_known(end, asked):
    bench = Bench(idle_timeout=60)
    bench.up()
    end(bench)
    assert bench.connection.asked_to_end is asked


# Time-outs


async def test_a_silent_peer_times_out_and_all_is_given_back():
    bench = Bench(3, response_timeout=30)
    bench.up()
    bench.say(*lines(438, 0))
    bench.later(31)
    assert bench.feed.reason == "no answer to CHECK <1@t> within 30 s"
    assert bench.returned == ids(1, 2)


async def test_a_peer_that_never_reads_times_out():
    bench = Bench(3, limit=20, response_timeout=30)
    bench.up()
    bench.later(31)
    assert bench.feed.reason == "no answer to CHECK <0@t> within 30 s"


async def test_an_idle_connection_says_goodbye():
    bench = Bench(idle_timeout=60)
    bench.up()
    bench.later(59)
    assert bench.transport.taken() == b""
    bench.later(61)
    await asyncio.sleep(0)
    assert bench.transport.taken() == b"QUIT\r\n"
    bench.say(b"205 bye")
    assert bench.feed.reason == "nothing to send"
    assert bench.transport.aborted


async def test_a_connection_with_unanswered_commands_is_not_idle():
    bench = Bench(1, idle_timeout=60, response_timeout=300)
    bench.up()
    bench.later(100)
    assert bench.feed.reason is None
    assert bench.transport.taken() == b""


async def test_a_connection_that_reads_bodies_is_not_idle():
    bench = Bench(feed=RecordingFeed(tokens(1), cold=ids(0)), idle_timeout=60)
    bench.up()
    bench.say(*lines(238, 0))
    bench.later(100)
    await asyncio.sleep(0)
    assert bench.transport.taken() == b""


async def test_quit_has_a_time_out():
    bench = Bench()
    bench.up()
    bench.connection.close("pausing", 60)
    await asyncio.sleep(0)
    assert bench.transport.taken() == b"QUIT\r\n"
    bench.later(QUIT_TIMEOUT + 1)
    assert bench.feed.reason == "pausing"


# Closing


async def test_a_graceful_close_waits_for_what_is_in_flight():
    bench = Bench(3, window=2)
    bench.up()
    bench.connection.close("shutting down", 60)
    await asyncio.sleep(0)
    bench.say(*lines(238, 0), *lines(438, 1))
    assert bench.transport.taken().startswith(b"TAKETHIS <0@t>\r\n")
    bench.say(*lines(239, 0))
    assert bench.transport.taken() == b"QUIT\r\n"
    assert bench.connection.phase is Phase.QUITTING
    bench.say(b"205 bye")
    assert bench.feed.reason == "shutting down"
    assert bench.feed.outcomes == {b"<0@t>": Outcome.ACCEPTED, b"<1@t>": Outcome.REFUSED}
    assert bench.returned == []
    assert len(bench.feed.waiting) == 1


async def test_a_graceful_close_ends_at_its_deadline():
    bench = Bench(3)
    bench.up()
    bench.connection.close("shutting down", 60)
    bench.say(*lines(438, 0))
    bench.later(59)
    assert bench.feed.reason is None
    bench.later(61)
    assert bench.feed.reason == "shutting down"
    assert bench.returned == ids(1, 2)


async def test_a_close_without_grace_gives_all_back_at_once():
    bench = Bench(3)
    bench.up()
    bench.connection.close("cancelled")
    assert bench.returned == ids(0, 1, 2)
    assert bench.feed.reason == "cancelled"
    assert bench.transport.aborted


async def test_a_connection_that_lasted_its_time_runs_empty_and_ends():
    bench = Bench(4, window=2, lifetime=100, response_timeout=1000)
    bench.up()
    bench.later(99)
    assert not bench.connection.asked_to_end
    bench.later(100)
    assert bench.connection.asked_to_end
    bench.say(*lines(438, 0, 1))
    await asyncio.sleep(0)
    assert bench.transport.taken() == b"QUIT\r\n"
    bench.say(b"205 bye")
    assert bench.feed.reason == "it lasted as long as it may"
    assert len(bench.feed.waiting) == 2


async def test_a_second_close_may_cut_the_grace_short():
    bench = Bench(3)
    bench.up()
    bench.connection.close("shutting down", 60)
    bench.connection.close("now")
    assert bench.feed.reason == "now"
    assert bench.returned == ids(0, 1, 2)


async def test_closing_before_the_handshake_is_over_ends_at_once():
    bench = Bench(3).made()
    bench.connection.close("shutting down", 60)
    assert bench.feed.reason == "shutting down"
    assert bench.transport.aborted


async def test_a_socket_that_comes_after_the_closing_is_not_used():
    bench = Bench()
    bench.connection.close("shutting down", 60)
    assert bench.feed.reason == "shutting down"
    bench.made()
    bench.say(b"200 hello")
    assert bench.connection.phase is Phase.ENDED
    assert not bench.transport.written


async def test_the_feed_may_close_while_it_is_told_outcomes():
    bench = Bench(4)
    bench.up()
    bench.feed.on_settle = lambda: bench.connection.close("the peer is wrong")
    bench.say(*lines(501, 0), *lines(438, 1), *lines(238, 2))
    assert set(bench.feed.outcomes) == set(ids(0, 1))
    assert bench.returned == ids(2, 3)
    assert bench.feed.reason == "the peer is wrong"


async def test_the_feed_may_close_while_it_is_told_of_missing_bodies():
    bench = Bench(feed=RecordingFeed(tokens(2), gone=ids(0)))
    bench.up()
    bench.feed.on_settle = lambda: bench.connection.close("the store is damaged")
    bench.say(*lines(238, 0, 1))
    assert bench.feed.outcomes == {b"<0@t>": Outcome.MISSING}
    assert bench.returned == ids(1)


# The peer ends it


@pytest.mark.parametrize("code", [400, 480, 483, 502, 503])
async def test_a_code_about_the_connection_ends_it(code):
    bench = Bench(3)
    bench.up()
    bench.say(*lines(438, 0), b"%d no more" % code)
    assert bench.feed.reason.endswith(f"{code} no more")
    assert bench.returned == ids(1, 2)


@pytest.mark.parametrize(
    ("error", "reason"),
    [(None, "the peer closed the connection"), (ConnectionResetError("reset"), "the connection broke: reset")],
)
async def test_a_lost_socket_gives_all_back(error, reason):
    bench = Bench(2)
    bench.up()
    bench.connection.connection_lost(error)
    assert bench.returned == ids(0, 1)
    assert bench.feed.reason == reason


async def test_the_end_is_told_once():
    bench = Bench(2)
    bench.up()
    bench.connection.eof_received()
    bench.connection.connection_lost(None)
    bench.connection.close("again")
    bench.later(1000)
    assert bench.feed.reason == "the peer closed the connection"
    assert bench.returned == ids(0, 1)


async def test_a_wake_after_the_end_does_nothing():
    bench = Bench(2)
    bench.up()
    bench.connection.close("done")
    bench.feed.waiting = tokens(1, first=5)
    bench.connection.wake()
    await asyncio.sleep(0)
    assert len(bench.feed.waiting) == 1


@pytest.mark.parametrize("end", ["eof", "lost"])
async def test_an_end_instead_of_an_answer_to_quit_is_as_good(end):
    bench = Bench()
    bench.up()
    bench.connection.close("nothing to send", 60)
    await asyncio.sleep(0)
    bench.connection.eof_received() if end == "eof" else bench.connection.connection_lost(None)
    assert bench.feed.reason == "nothing to send"
