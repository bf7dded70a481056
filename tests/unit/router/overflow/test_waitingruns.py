"""Which parcels may wait behind those that do."""

import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.overflow.waitingruns import Place, WaitingRuns


def parcel(first, count=1, floor=0, sender="a@x", incarnation=7):
    return pb.Parcel(
        sender=sender, recipient="b@x", incarnation=incarnation, first=first, count=count, floor=floor or first
    )


@pytest.fixture
def runs():
    """Messages 5 to 9 wait."""
    runs = WaitingRuns()
    runs.add(parcel(5, 5))
    return runs


@pytest.mark.parametrize(
    ("found", "place"),
    [
        pytest.param(parcel(10), Place.NEXT, id="the next one"),
        pytest.param(parcel(5, 5), Place.KNOWN, id="what waits"),
        pytest.param(parcel(7), Place.KNOWN, id="a part of it"),
        pytest.param(parcel(3), Place.KNOWN, id="what came before"),
        pytest.param(parcel(12, floor=5), Place.EARLY, id="behind one that was refused"),
        pytest.param(parcel(12, floor=12), Place.NEXT, id="behind one that nobody keeps"),
        pytest.param(parcel(1, sender="c@x"), Place.NEXT, id="of another sender"),
        pytest.param(parcel(1, incarnation=8), Place.NEXT, id="of another incarnation"),
    ],
)
def test_place_of_a_parcel(runs, found, place):
    assert runs.place(found) is place


def test_once_none_waits_all_may_come(runs):
    runs.clear()
    assert runs.place(parcel(12, floor=5)) is Place.NEXT


def test_so_many_pairs_are_told_apart(runs, monkeypatch):
    monkeypatch.setattr("forebay.router.overflow.waitingruns.MOST_PAIRS", 1)
    assert runs.place(parcel(1, sender="c@x")) is Place.EARLY
    assert runs.place(parcel(10)) is Place.NEXT
