"""What is read back from R is queued, all at once or one by one, but for what is too many."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.peerqueue import PeerQueue
from forebay.outfeed.peering.readback import Readback
from forebay.outfeed.peering.resendplaces import ResendPlaces
from forebay.outfeed.peering.unsure import Unsure
from forebay.spill import Durable, Entry
from recordingfeed import tokens

TOKENS = tokens(6)
SEQS = [token.seq for token in TOKENS]
NO_TOKEN = Entry(b"bad", b"short")


@dataclass
class Owner:
    """A peerfeed that still needs some articles and has others in its feed log."""

    needed: set[int] = field(default_factory=lambda: set(SEQS))
    in_log: set[int] = field(default_factory=set)
    ledger: Ledger = field(default_factory=Ledger)
    queue: PeerQueue = field(default_factory=lambda: PeerQueue(10, 0.5))

    def needs(self, seq):
        return seq in self.needed

    def needs_all(self, seqs):
        return self.needed.issuperset(seqs)

    def logged(self, seq):
        return seq in self.in_log

    def logged_of(self, seqs):
        return self.in_log & set(seqs)


def entry(place, number):
    return Entry(b"%d-0" % place, TOKENS[number].encode())


def entries(*numbers):
    return [entry(place, number) for place, number in enumerate(numbers, 1)]


def readback(owner, places=None, unsure=None):
    return Readback(owner, ResendPlaces() if places is None else places, Unsure() if unsure is None else unsure)


def queued(owner):
    return [token.seq for token in owner.queue.resent]


def test_what_is_needed_is_queued_in_order_and_its_place_known():
    owner, places = Owner(), ResendPlaces()
    assert readback(owner, places).take_in(entries(2, 0, 1)) == []
    assert list(owner.queue.resent) == [TOKENS[2], TOKENS[0], TOKENS[1]]
    assert [places[token.seq] for token in TOKENS[:3]] == [b"2-0", b"3-0", b"1-0"]
    assert owner.ledger.unspooled == 3


def test_nothing_is_made_of_nothing():
    assert readback(Owner()).take_in([]) == []


def test_what_the_peer_has_is_too_many():
    owner = Owner(needed={SEQS[0], SEQS[2]})
    assert readback(owner).take_in(entries(0, 1, 2)) == [b"2-0"]
    assert queued(owner) == [SEQS[0], SEQS[2]]


def test_what_the_feed_log_hands_out_is_too_many():
    owner = Owner(in_log={SEQS[1]})
    assert readback(owner).take_in(entries(0, 1)) == [b"2-0"]
    assert queued(owner) == [SEQS[0]]


def test_what_was_appended_and_is_not_known_to_be_on_disk_is_queued():
    owner, unsure = Owner(in_log=set(SEQS[:3])), Unsure()
    unsure.add(Durable(), SEQS[:2])
    assert readback(owner, unsure=unsure).take_in(entries(0, 1, 2)) == [b"3-0"]
    assert queued(owner) == SEQS[:2]


def test_the_second_of_two_entries_is_where_an_article_stands():
    owner, places = Owner(), ResendPlaces()
    assert readback(owner, places).take_in(entries(0, 1, 0)) == [b"1-0"]
    assert queued(owner) == SEQS[:2]
    assert places[SEQS[0]] == b"3-0"


def test_what_is_no_token_is_too_many_and_harms_no_other():
    owner = Owner()
    assert readback(owner).take_in([entry(1, 0), NO_TOKEN, entry(3, 1)]) == [b"bad"]
    assert queued(owner) == SEQS[:2]


seqs = st.sets(st.sampled_from(SEQS))


@given(st.lists(st.sampled_from(range(6))), seqs, seqs, seqs, seqs, seqs)
def test_all_at_once_is_as_one_by_one(numbers, needed, in_log, unsure_seqs, held, written_elsewhere):
    results = []
    for size in (len(numbers) or 1, 1):
        owner, places, unsure = Owner(needed, in_log), ResendPlaces(), Unsure()
        unsure.add(Durable(), list(unsure_seqs))
        places.add_all(sorted(written_elsewhere), [b"lost"] * len(written_elsewhere))
        places.lose(set(), restarted=False)
        places.written_elsewhere(written_elsewhere)
        places.add_all(sorted(held), [b"9-%d" % seq for seq in sorted(held)])
        reader, batch, spare = readback(owner, places, unsure), entries(*numbers), []
        for first in range(0, len(batch), size):
            spare += reader.take_in(batch[first : first + size])
        results.append((spare, queued(owner), [places[seq] for seq in SEQS], owner.ledger.unspooled))
    assert results[0] == results[1]
