"""Whatever the peer answers and wherever the stream is cut: no article is lost, none is settled twice."""

import random
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.feedwindow import FeedWindow
from forebay.outfeed.sending.nocheck import NoCheckFilter, NoCheckSettings
from recordingfeed import RecordingFeed, tokens

CODES = (238, 239, 431, 436, 438, 439, 403, 400, 480, 501, 502, 335)
SHAPES = (b"%d %b", b"%d", b"%d %b text", b"%d some text", b"%d  %b")
ANSWER = st.tuples(st.sampled_from(CODES + (238, 239) * 8), st.sampled_from(SHAPES + (SHAPES[0],) * 8))


def reply(message_id, answer):
    code, shape = answer
    return (shape % (code, message_id) if b"%b" in shape else shape % code) + b"\r\n"


def cut(stream, cuts):
    edges = sorted({0, len(stream), *(position % (len(stream) + 1) for position in cuts)})
    return [stream[start:end] for start, end in pairwise(edges)]


def make(count, size, skip, **feed):
    recording = RecordingFeed(tokens(count), **feed)
    nocheck = NoCheckFilter(NoCheckSettings(filter=5))
    nocheck.accepted(100 * skip)
    return recording, FeedWindow(recording, size, nocheck, lambda: None)


def outcome_of(stream, cuts, skip):
    """What becomes of a full window when `stream` comes in pieces."""
    feed, window = make(20, 20, skip)
    window.fill(0.0)
    for chunk in cut(stream, cuts):
        window.receive(chunk, 0.0)
        if window.fault:
            break
    sent = b"".join(window.fill(0.0)) if not window.fault else b""
    return feed.outcomes, window.fault, window.nocheck.skips, sent, window.abandon()


@example(answers=[(238, SHAPES[0])] * 3, noise=b"2" * 3000, place=1, cuts=[2000], skip=False)
@given(
    answers=st.lists(ANSWER, max_size=22),
    noise=st.sampled_from([b"", b"", b"", b"hello\r\n", b"238 <9@x>\r\n", b"\r\n", b"2" * 3000]),
    place=st.integers(0, 22),
    cuts=st.lists(st.integers(0, 5000), max_size=12),
    skip=st.booleans(),
)
def test_any_chunking_gives_the_same(answers, noise, place, cuts, skip):
    replies = [reply(b"<%d@t>" % number, answer) for number, answer in enumerate(answers)]
    replies.insert(place, noise)
    stream = b"".join(replies)
    assert outcome_of(stream, cuts, skip) == outcome_of(stream, [], skip)


def commands(written):
    """Verb and message-id of the commands in what was written; a body holds no line that looks like one."""
    words = [line.split() for line in written.split(b"\r\n") if line.startswith((b"CHECK <", b"TAKETHIS <"))]
    return [(verb, name) for verb, name in words]


def likely(verb, dice):
    """A reply code, mostly a usual one."""
    usual = 238 if verb == b"CHECK" else 239
    return (dice.choice(CODES[2:7]) if dice.random() < 0.3 else usual, dice.choice(SHAPES))


@settings(max_examples=300)
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(0, 120),
    size=st.integers(1, 30),
    skip=st.booleans(),
    steps=st.integers(0, 60),
)
def test_nothing_is_lost_or_settled_twice(seed, count, size, skip, steps):
    dice = random.Random(seed)
    names = [b"<%d@t>" % number for number in range(count)]
    rare = {"cold": dice.sample(names, count // 5), "gone": dice.sample(names, count // 10)}
    feed, window = make(count, size, skip, **rare)
    owed, stream = [], b""
    for _ in range(steps):
        if dice.random() < 0.7:
            owed += commands(b"".join(window.fill(0.0)))
            assert window.unanswered <= size
        if dice.random() < 0.3:
            feed.warm()
        answered = dice.randint(0, len(owed))
        stream += b"".join(reply(name, likely(verb, dice)) for verb, name in owed[:answered])
        owed = owed[answered:]
        end = dice.randint(0, len(stream))
        window.receive(stream[:end], 0.0)
        stream = stream[end:]
        assert window.fault is None
    returned = [token.message_id for token in window.abandon()]
    waiting = [token.message_id for token in feed.waiting]
    assert sorted([*feed.outcomes, *returned, *waiting]) == sorted(names)
    assert returned == sorted(returned, key=names.index)
    assert {name for name, outcome in feed.outcomes.items() if outcome is Outcome.MISSING} <= feed.gone


@given(seed=st.integers(0, 2**32), garbage=st.binary(max_size=300))
def test_garbage_loses_nothing(seed, garbage):
    dice = random.Random(seed)
    feed, window = make(50, 10, skip=False)
    owed = commands(b"".join(window.fill(0.0)))
    good = b"".join(reply(name, likely(verb, dice)) for verb, name in owed[: dice.randint(0, 10)])
    window.receive(good + garbage, 0.0)
    names = [*feed.outcomes, *(token.message_id for token in (*window.abandon(), *feed.waiting))]
    assert sorted(names) == sorted(b"<%d@t>" % number for number in range(50))
