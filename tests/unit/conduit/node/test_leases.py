"""Leases: each peer is judged by its own; keepalives go out only where nothing else did."""

import pytest

from forebay.conduit.core.wire import header
from simnet import GROUP, SimNet, Weather

RID = 3


def kinds(node, since=0):
    """The first messages of what a node has sent, and where they went."""
    return [(each.datagram[0] & header.ID_MASK, each.address) for each in node.sent[since:]]


def keepalives(node, since=0):
    return [address for kind, address in kinds(node, since) if kind == header.KEEPALIVE]


def test_leases_of_60_s_10_s_and_1_s_live_together():
    net = SimNet(1, Weather(0.02, delay=(0.0002, 0.002)), keeps=True)
    nodes = [net.start(name, lease=lease) for name, lease in (("long", 60.0), ("middle", 10.0), ("short", 1.0))]
    net.run(300.0)
    assert all(len(node.peers) == 2 for node in nodes)
    assert [node.listener.changes.count("disconnected") for node in nodes] == [0, 0, 0]


def test_each_is_judged_by_the_lease_that_it_advertised():
    net = SimNet(2)
    watch = net.start("watch", lease=30.0)
    net.start("long", lease=60.0)
    net.start("short", lease=1.0)
    net.run(5.0)
    net.kill("long")
    net.kill("short")
    ends = {}
    watch.listener.peer_changed = lambda event: ends.setdefault(event.address, net.now)
    killed = net.now
    net.run(70.0)
    assert 0.7 <= ends["short"] - killed <= 1.001
    assert 45.0 <= ends["long"] - killed <= 60.001


@pytest.mark.parametrize("lease", [1.0, 8.0])
def test_keepalives_go_out_at_a_quarter_of_the_own_lease(lease):
    net = SimNet(3, keeps=True)
    session = {"scout_count": 1}
    node = net.start("node", lease=lease, session=session)
    net.start("other", lease=60.0, session=session)
    net.run(1.0)
    since = len(node.sent)
    net.run(100 * lease)
    assert len(keepalives(node, since)) == pytest.approx(400, abs=2)


def talk(net, node, publisher, seconds, pause):
    end = net.now + seconds
    while net.now < end:
        node.write(publisher, b"something")
        net.run(pause)


def talking(net, subscribers, **options):
    """A node that has something to say to others."""
    node = net.start("node", lease=4.0, session={"scout_count": 1}, **options)
    others = [net.start(name, lease=60.0, session={"scout_count": 1}) for name in subscribers]
    for other in others:
        other.subscribe(RID)
    net.run_until(lambda: len(node.node.declarations.subscribers(RID)) == len(subscribers))
    return node, others


def test_data_to_all_take_the_place_of_keepalives():
    net = SimNet(4, keeps=True)
    node, _ = talking(net, ["one", "two"])
    publisher, since = node.publish(RID), len(node.sent)
    talk(net, node, publisher, 20.0, 0.5)
    assert keepalives(node, since) == []
    net.run(10.0)
    assert 8 <= len(keepalives(node, since)) <= 11


def test_data_to_one_peer_do_not_count_for_the_others():
    net = SimNet(5, keeps=True)
    node, (one, _) = talking(net, ["one", "two"])
    index = node.node.sessions.peers.by_id(one.peer_id).index
    publisher, since = node.publish(RID, conduit=-index - 1), len(node.sent)
    talk(net, node, publisher, 20.0, 0.5)
    sent = keepalives(node, since)
    assert 18 <= len(sent) <= 21
    assert set(sent[1:]) == {"two"}


def test_where_each_peer_gets_its_own_copy_only_silence_towards_it_counts():
    net = SimNet(6, keeps=True)
    options = {"group": None, "peers": ("one", "two")}
    node = net.start("node", lease=4.0, **options)
    others = [net.start(name, lease=60.0, group=None, peers=("node",)) for name in ("one", "two")]
    for other in others:
        other.subscribe(RID)
    net.run_until(lambda: len(node.node.declarations.subscribers(RID)) == 2)
    publisher, since = node.publish(RID), len(node.sent)
    talk(net, node, publisher, 20.0, 0.5)
    assert keepalives(node, since) == []


def test_silent_peers_stay_connected():
    net = SimNet(7)
    one, two = net.start("one", lease=1.0), net.start("two", lease=1.0)
    net.run(600.0)
    assert one.listener.changes == two.listener.changes == ["connected"]


def test_a_node_that_lives_for_ever_sends_no_keepalives():
    net = SimNet(8, keeps=True)
    node = net.start("node", lease=0.0)
    other = net.start("other", lease=1.0)
    net.run(100.0)
    assert keepalives(node) == []
    assert other.peers == {node.peer_id}


def test_scouts_to_the_group_are_a_sign_of_life():
    net = SimNet(9, keeps=True)
    node = net.start("node", lease=16.0)
    net.start("other", lease=16.0)
    net.run(100.0)
    assert keepalives(node) == []
    assert (header.SCOUT, GROUP) in kinds(node)
