"""A peerfeed in memory that remembers what its connection told it."""

import asyncio
from collections import Counter

from articles import stuff
from forebay.outfeed.token import Token, message_key


def tokens(count, *, size=100, first=0):
    """`count` tokens <0@t>, <1@t>, ..."""
    ids = [b"<%d@t>" % number for number in range(first, first + count)]
    return [Token(name, message_key(name), number, 0, size, 0) for number, name in enumerate(ids)]


def article(message_id, size=0):
    """A small article that INN takes, padded to about `size` octets, in wire form."""
    head = (
        b"Path: t!not-for-mail\r\nFrom: a@t.example\r\nNewsgroups: test.feed\r\nSubject: t\r\n"
        b"Date: Mon, 05 Jan 2026 10:00:00 GMT\r\nMessage-ID: " + message_id + b"\r\n\r\n"
    )
    return stuff(head + b".dot\r\n" + b"x" * size + b"\r\n")


class RecordingFeed:
    """Gives `waiting` out in order. `cold` message-ids are loaded only when `warm` is called, `gone` ones never."""

    def __init__(self, waiting=(), *, cold=(), gone=(), size=0):
        self.waiting = list(waiting)
        self.cold = set(cold)
        self.gone = set(gone)
        self.size = size
        self.settled = []
        self.given_back = []
        self.calls = []
        self.suspects = []
        self.loads = []
        self.reading = []
        self.reason = None
        self.on_settle = lambda: None
        self.is_up = asyncio.Event()
        self.is_down = asyncio.Event()

    def take(self, limit):
        taken, self.waiting = self.waiting[:limit], self.waiting[limit:]
        return taken

    def load(self, tokens, later):
        ids = [token.message_id for token in tokens]
        self.loads.append(ids)
        if not self.cold.intersection(ids):
            return self.bodies(ids)
        self.reading.append((ids, later))
        return None

    def bodies(self, ids):
        return [None if name in self.gone else article(name, self.size) for name in ids]

    def warm(self):
        reading, self.reading = self.reading, []
        for ids, later in reading:
            later(self.bodies(ids))

    def suspect(self, tokens):
        self.suspects += [token.message_id for token in tokens]

    def settle(self, outcome, tokens, reply):
        self.settled += [(token.message_id, outcome, reply) for token in tokens]
        self.calls.append((outcome, len(tokens), reply))
        self.on_settle()

    def give_back(self, tokens):
        self.given_back += tokens

    def up(self, connection):
        self.is_up.set()

    def down(self, connection, ending):
        assert self.reason is None, "down was called twice"
        self.cause, self.reason = ending
        self.is_down.set()

    @property
    def outcomes(self):
        """Outcome by message-id; fails when an article was settled twice."""
        assert not [name for name, times in Counter(name for name, _, _ in self.settled).items() if times > 1]
        return {name: outcome for name, outcome, _ in self.settled}

    @property
    def returned(self):
        """Message-ids given back, in order."""
        return [token.message_id for token in self.given_back]
