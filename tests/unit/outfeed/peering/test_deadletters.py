"""Dead letters: looked at page by page, and sent again."""

import pytest

from fakeclock import settle
from forebay.outfeed.peering import deadletters
from forebay.outfeed.peering.deadletters import Choice
from forebay.outfeed.sending.feed import Outcome
from forebay.runtime.errors import InvalidArgumentError, UnavailableError
from forebay.spill import DeadLetter
from manifests import peer_options
from onepeer import IDLE
from recordingfeed import tokens
from storerooms import message_id


@pytest.fixture
async def peer(house, made):
    """A peer that gave three articles up."""
    await house.apply(peer_options("a", deadLetter={"maxTries": 1}))
    made.last.open()
    await house.offer("one", "two", "three")
    feed = made.last.feed
    feed.settle(Outcome.FAILED, feed.take(9), "501 bad")
    await settle(IDLE)
    return house.peers["a"]


def ids(letters):
    return [deadletters.message(letter).message_id for letter in letters]


async def test_letters_are_listed_in_the_order_in_which_they_were_given_up(peer):
    letters = await deadletters.page(peer, 9, "")
    assert ids(letters) == ["<one@example.org>", "<two@example.org>", "<three@example.org>"]


async def test_a_page_goes_on_behind_the_last_letter_of_the_one_before(peer):
    first = await deadletters.page(peer, 2, "")
    second = await deadletters.page(peer, 2, first[-1].id.decode())
    assert (len(first), ids(second)) == (2, ["<three@example.org>"])


@pytest.mark.parametrize("token", ["x", "1", "1-", "-1", "1-x", "1-1-1", "\u0661-1"])
async def test_a_token_that_was_not_given_out_is_refused(peer, token):
    with pytest.raises(InvalidArgumentError) as refused:
        await deadletters.page(peer, 2, token)
    assert [violation.field for violation in refused.value.violations] == ["page_token"]


async def test_all_letters_are_sent_again_with_no_tries_counted(house, peer, made):
    assert await deadletters.replay(peer, Choice()) == 3
    await settle(IDLE)
    again = made.last.feed.take(9)
    assert [(token.message_id, token.tries) for token in again] == [
        (message_id(name), 0) for name in ("one", "two", "three")
    ]
    assert await deadletters.page(peer, 9, "") == []
    ledger = peer.feed.ledger
    assert (ledger.offered, ledger.dead_lettered, ledger.dead_kept, ledger.in_flight) == (6, 3, 0, 3)


async def test_chosen_letters_are_sent_again(house, peer, made):
    assert await deadletters.replay(peer, Choice(frozenset({message_id("two"), b"<unknown@example.org>"}))) == 1
    await settle(IDLE)
    assert [token.message_id for token in made.last.feed.take(9)] == [message_id("two")]
    assert ids(await deadletters.page(peer, 9, "")) == ["<one@example.org>", "<three@example.org>"]


async def test_letters_are_chosen_by_a_text_in_their_reason_whatever_its_case(house, made, peer):
    assert await deadletters.replay(peer, Choice(reason="quota")) == 0
    assert await deadletters.replay(peer, Choice(reason="BAD")) == 3


async def test_message_ids_and_a_reason_have_to_agree_both(peer):
    assert await deadletters.replay(peer, Choice(frozenset({message_id("two")}), "quota")) == 0
    assert await deadletters.replay(peer, Choice(frozenset({message_id("two")}), "501")) == 1


async def test_many_letters_are_gone_through_page_by_page(peer, monkeypatch):
    monkeypatch.setattr(deadletters, "PAGE", 1)
    assert await deadletters.replay(peer, Choice()) == 3


@pytest.mark.parametrize(
    "ask", [lambda peer: deadletters.page(peer, 9, ""), lambda peer: deadletters.replay(peer, Choice())]
)
async def test_without_redis_the_caller_is_to_come_again(house, peer, ask):
    house.redis.away = True
    with pytest.raises(UnavailableError, match="peer a: ") as refused:
        await ask(peer)
    assert refused.value.retry_after


def test_a_letter_tells_what_was_given_up_when_and_why():
    (token,) = tokens(1)
    letter = DeadLetter(token._replace(arrival=5000).encode(), "501 bad", 3, 1_700_000_000_500)
    message = deadletters.message(letter)
    assert (message.message_id, message.size, message.reason, message.tries) == ("<0@t>", 100, "501 bad", 3)
    assert message.dead_letter_time.ToMilliseconds() == 1_700_000_000_500
    assert message.arrival_time.ToMilliseconds() == 5000


def test_a_letter_about_nothing_readable_is_shown_without_an_article():
    message = deadletters.message(DeadLetter(b"?", "501 bad", 3, 0))
    assert (message.message_id, message.reason) == ("", "501 bad")
