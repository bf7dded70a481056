"""Connections that never open a socket: the test says what becomes of each."""

from dataclasses import dataclass, field

from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feed import Outcome
from recordingfeed import tokens


class FakeConnection:
    """In the place of `forebay.outfeed.sending.connection.Connection`; every one made is in `Connections.made`."""

    def __init__(self, feed, settings, login=None) -> None:
        self.feed = feed
        self.settings = settings
        self.login = login
        self.room = 0
        self.unanswered = 0
        self.skips_check = False
        self.streams = True
        self.compresses = False
        self.asked_to_end = False
        self.place: tuple[str, int] | None = None
        self.ended = ""
        self.grace: float | None = None
        self.wakes = 0
        self.polls = 0

    async def connect(self, host: str, port: int) -> None:
        self.place = (host, port)

    def wake(self) -> None:
        self.wakes += 1

    def poll(self, now: float) -> None:
        self.polls += 1

    def close(self, reason: str, grace: float = 0.0) -> None:
        self.asked_to_end = True
        self.ended, self.grace = reason, grace
        if not grace or not self.unanswered:
            self.end(reason, Cause.WANTED)

    # What the test has happen

    def open(self, room: int = 10) -> None:
        """The handshake is done."""
        self.room = room
        self.feed.up(self)

    def answer(self, outcome: Outcome = Outcome.ACCEPTED, reply: str = "239") -> None:
        """The peer answers about one article."""
        self.feed.settle(outcome, tokens(1), reply)

    def end(self, reason: str = "the connection broke", cause: Cause = Cause.CONNECTION_LOST) -> None:
        """The connection is gone."""
        self.room = 0
        self.feed.down(self, Ending(cause, reason))


@dataclass
class Connections:
    """Makes the connections of the lines under test."""

    made: list[FakeConnection] = field(default_factory=list)

    def __call__(self, feed, settings, login=None) -> FakeConnection:
        self.made.append(FakeConnection(feed, settings, login))
        return self.made[-1]

    @property
    def last(self) -> FakeConnection:
        return self.made[-1]
