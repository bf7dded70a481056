"""The real innfeed as the oracle of noCheck: with the same articles and the same peer, the same turns.

With a window of one article each knows the answers before it sends the next command, so that nothing is left to chance.
But innfeed has chosen how the next article goes before it hears of the one before.
"""

from fractions import Fraction
from itertools import groupby

import pytest

import corpus
from nntp import NntpSender

from .waiting import ids

pytestmark = pytest.mark.inn

NEW, KNOWN = 200, 20


@pytest.fixture
def known():
    """Articles that the peer has already."""
    return list(corpus.synthetic(KNOWN, 500))


@pytest.fixture
def articles(known):
    """Enough to leave CHECK, to come back to it, and to leave it again."""
    new = list(corpus.synthetic(2 * NEW, 500, start=KNOWN))
    return [*new[:NEW], *known, *new[NEW:]]


@pytest.fixture
async def make_peer(fake_peer, known):
    """Start peers that have what is known."""

    async def make():
        peer = await fake_peer("ok")
        async with NntpSender(peer.port) as sender:
            await sender.take_this(known)
        return peer

    return make


class Filter:
    """The filter as innfeed(8) has it, in exact numbers."""

    def __init__(self):
        self.value = Fraction(0)
        self.skips = False

    def answer(self, *, taken):
        self.value = self.value * Fraction(49, 50) + taken
        if self.value > Fraction(95, 2):
            self.skips = True
        elif self.value < Fraction(45):
            self.skips = False


def expected(articles, known, *, ahead):
    """Whether CHECK comes first, by article; `ahead` articles are chosen for before an answer is heard."""
    nocheck, turns = Filter(), [True] * ahead
    for article in articles:
        turns.append(not nocheck.skips)
        nocheck.answer(taken=article not in known)
    return turns[: len(articles)]


def seen(peer, articles):
    """The same as the peer saw it, from the second connection on: over the first came what it knew."""
    first = {}
    for event in peer.events:
        if event.connection > 1 and event.message_id:
            first.setdefault(event.message_id, event.name)
    return [first[message_id] == "CHECK" for message_id in ids(articles)]


def runs(turns):
    return [len(list(run)) for _, run in groupby(turns)]


def test_the_exact_filter_turns_where_innfeed_was_seen_to(articles, known):
    """149 acceptances in a row lead out of CHECK; from 200 of them 5 refusals lead back."""
    assert runs(expected(articles, known, ahead=0))[:2] == [149, NEW - 149 + 5]
    assert runs(expected(articles, known, ahead=1))[:2] == [150, NEW - 150 + 6]


async def test_check_is_left_out_and_taken_up_again_where_innfeed_does(outfeed, make_peer, inn_sender, articles, known):
    theirs, ours = await make_peer(), await make_peer()
    inn_sender.spool(articles)
    await inn_sender.innfeed(theirs.port, window=1)
    outfeed.peer("takes-all", ours.port, window=1)
    await outfeed.start()
    await outfeed.offer(articles)
    counters = await outfeed.drained("takes-all")
    assert (counters.accepted, counters.refused + counters.rejected) == (2 * NEW, KNOWN)
    for peer in (theirs, ours):
        await peer.stop()
    assert runs(seen(theirs, articles)) == runs(expected(articles, known, ahead=1))
    assert runs(seen(ours, articles)) == runs(expected(articles, known, ahead=0))
