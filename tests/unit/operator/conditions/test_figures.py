import pytest

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions.figures import backlog, peers_text, rounded
from manifests import peerfeed

from .known import SILENT, peer, view


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, 0), (99, 99), (100, 100), (101, 100), (106, 110), (999, 1000), (1234, 1200), (98_765_432, 99_000_000)],
)
def test_counts_above_100_have_two_digits(count, shown):
    assert rounded(count) == shown


def test_the_backlog_of_several_peers_is_one_figure():
    assert backlog([peer(peerfeed("one"), backlog=1000), peer(peerfeed("two"), backlog=234)]) == 1200


def test_idle_peers_count_as_fed():
    states = [pb.PEER_STATE_CONNECTED, pb.PEER_STATE_IDLE, pb.PEER_STATE_BACKING_OFF, pb.PEER_STATE_PAUSED]
    peers = [peer(peerfeed(f"p{state}"), state) for state in states]
    assert peers_text([view(peers=peers), SILENT]) == "2/4"
