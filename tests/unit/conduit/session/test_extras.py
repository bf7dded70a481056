"""What two nodes agree on when a session begins."""

import pytest

from forebay.conduit.core.wire.extras import NO_EXTRAS, Extra, Extras
from simnet import SimNet

QUERIES = Extras(Extra.QUERIES)
BOTH = Extras(Extra.QUERIES | Extra.LIVELINESS)


@pytest.mark.parametrize(
    ("first", "second", "agreed"),
    [
        pytest.param(BOTH, BOTH, BOTH, id="same"),
        pytest.param(BOTH, QUERIES, QUERIES, id="what both offer"),
        pytest.param(BOTH, NO_EXTRAS, NO_EXTRAS, id="a zhe program"),
    ],
)
def test_both_ends_know_what_was_agreed(first, second, agreed):
    net = SimNet(1)
    nodes = [net.start(name, session={"extras": extras}).node for name, extras in (("a", first), ("b", second))]
    net.run(5.0)
    found = [node.agreement(peer) for node in nodes for peer in node.sessions.peers]
    assert [extras.offered for extras in found] == [agreed.offered, agreed.offered]
