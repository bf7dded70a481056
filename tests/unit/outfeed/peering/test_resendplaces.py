"""Where in R tokens stand, over a spool that is taken over anew."""

import pytest

from forebay.outfeed.peering.resendplaces import ResendPlaces
from recordingfeed import tokens

ONE, TWO, THREE = tokens(3)


@pytest.fixture
def places():
    """The first two were read back, the third was not."""
    places = ResendPlaces()
    places.add(ONE.seq, b"1-0")
    places.add(TWO.seq, b"2-0")
    return places


def test_tokens_are_split_by_whether_they_were_read_back(places):
    assert places.by_origin([THREE, TWO, ONE]) == ([THREE], [TWO, ONE])
    assert ResendPlaces().by_origin([ONE]) == ([ONE], [])


def test_what_is_settled_has_its_entry_deleted(places):
    assert places.finish([ONE, THREE]) == ([THREE], [b"1-0"])
    assert (len(places), places.holds(ONE.seq), places.holds(TWO.seq)) == (1, False, True)


def test_what_is_in_flight_when_the_spool_is_lost_is_held_until_it_is_settled(places):
    places.lose({TWO.seq}, restarted=False)
    assert (len(places), places.holds(ONE.seq), places.holds(TWO.seq)) == (0, True, False)
    assert places.finish([ONE]) == ([ONE], [])
    assert not places.holds(ONE.seq)


def test_what_is_found_again_has_its_new_place(places):
    places.lose(set(), restarted=False)
    assert places.find(ONE.seq, b"9-0") == b""
    assert places[ONE.seq] == b"9-0"
    assert places.find(ONE.seq, b"9-1") == b"9-0", "one of them is too many"
    assert places[ONE.seq] == b"9-1"


@pytest.mark.parametrize("restarted", [False, True], ids=["lost lease", "restarted"])
def test_what_is_written_elsewhere_while_it_has_no_place_is_known_as_such(places, restarted):
    places.lose(set(), restarted=False)
    assert places.written_elsewhere([ONE.seq, THREE.seq]) == []
    assert [places.is_elsewhere(token.seq) for token in (ONE, TWO, THREE)] == [True, False, False]
    places.lose(set(), restarted=restarted)
    assert places.is_elsewhere(ONE.seq) is not restarted
    places.promoted()
    assert not places.is_elsewhere(ONE.seq)


def test_what_is_written_elsewhere_leaves_its_place(places):
    assert places.written_elsewhere([TWO.seq]) == [b"2-0"]
    assert (places[TWO.seq], places.leave(TWO.seq), places.leave(ONE.seq)) == (b"", b"", b"1-0")
