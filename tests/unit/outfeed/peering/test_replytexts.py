"""What peers say when they do not take articles: told apart by what is said, in a bounded number of texts."""

import pytest

from forebay.outfeed.peering.replytexts import LONGEST, MOST_TEXTS, OTHER, ReplyTexts, normalised
from forebay.outfeed.sending.feed import Outcome


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        pytest.param("438 Duplicate", "438 Duplicate", id="plain"),
        pytest.param("439", "439", id="code alone"),
        pytest.param("439 too large (1234567 octets)", "439 too large (# octets)", id="number"),
        pytest.param("438 <a.1@b.example> seen", "438 <id> seen", id="message-id"),
        pytest.param("438 <a.1@b", "438 <id>", id="message-id cut off"),
        pytest.param("431 news7.peer.example is busy", "431 host is busy", id="host name"),
        pytest.param("431 192.0.2.7 is busy", "431 host is busy", id="address"),
        pytest.param("431 [2001:db8::7] is busy", "431 host is busy", id="IPv6 in brackets"),
        pytest.param("431 2001:db8::7 is busy", "431 host is busy", id="IPv6"),
        pytest.param('439 Unwanted newsgroup "a.b"', '439 Unwanted newsgroup "..."', id="newsgroup"),
        pytest.param('439 Missing "Message-ID" header field', '439 Missing "Message-ID" header field', id="header"),
        pytest.param('437 Bad "Date" field -- "2 May"', '437 Bad "Date" field -- "..."', id="value of a header"),
        pytest.param("431  a\tb ", "431 a b", id="blanks"),
        pytest.param("no code 7", "no code #", id="no code"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_differs_from_article_to_article_is_masked(reply, text):
    assert normalised(reply) == text


def test_a_long_reply_is_cut():
    assert len(normalised("439 " + "x" * 100_000)) == LONGEST


def test_equal_texts_are_counted_together_by_outcome_the_most_frequent_first():
    texts = ReplyTexts()
    texts.add(Outcome.REJECTED, "439 5 octets too many", 2)
    texts.add(Outcome.REFUSED, "438 seen", 9)
    texts.add(Outcome.REJECTED, "439 17 octets too many", 3)
    assert list(texts) == [(Outcome.REFUSED, "438 seen", 9), (Outcome.REJECTED, "439 # octets too many", 5)]


@pytest.mark.parametrize("outcome", [Outcome.ACCEPTED, Outcome.MISSING])
def test_what_is_no_refusal_is_not_counted(outcome):
    texts = ReplyTexts()
    texts.add(outcome, "239", 5)
    assert list(texts) == []


def test_texts_beyond_the_bound_are_others_of_their_outcome_and_known_ones_go_on():
    texts = ReplyTexts()
    names = [f"439 {letter}{other}" for letter in "abcdefghij" for other in "abcdefghij"]
    for name in names:
        texts.add(Outcome.REJECTED, name, 1)
    texts.add(Outcome.DEFERRED, "431 later", 4)
    texts.add(Outcome.REJECTED, names[0], 1)
    rows = list(texts)
    assert rows[0] == (Outcome.REJECTED, names[0], 2)
    assert rows[MOST_TEXTS:] == [(Outcome.REJECTED, OTHER, 100 - MOST_TEXTS), (Outcome.DEFERRED, OTHER, 4)]
    assert sum(row.articles for row in rows) == 105
