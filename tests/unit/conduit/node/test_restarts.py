"""Peers that restart, vanish, lose their session or are cut off."""

import pytest

from conftest import SCALE
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.session.identity import SESSION
from forebay.conduit.core.wire.declarations import SubscriberDeclaration, SubscriptionMode
from forebay.conduit.core.wire.encoder import encode
from forebay.conduit.core.wire.extras import Extra, Extras, extras_property
from forebay.conduit.core.wire.messages import VERSION, Close, Data, Declare, Open, Role, Synch
from forebay.conduit.core.wire.ownmessages import Fragment
from simnet import GROUP, SimNet, Weather, numbered

RID = 3
ROUGH = Weather(0.05, duplication=0.05, delay=(0.0002, 0.004))
GROUPS = [pytest.param(GROUP, id="multicast"), pytest.param(None, id="a copy each")]


def flowing(net, source, sink):
    """Publish from one to the other; returns how to write the next sample, and waits for the first one."""
    publisher = source.publish(RID)
    sink.subscribe(RID)
    net.run_until(lambda: source.node.declarations.subscribers(RID))
    return lambda sample: source.write(publisher, sample)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("lease", [5.0, 60.0, 0.0], ids=["5 s", "60 s", "for ever"])
def test_a_subscriber_that_restarts_inside_its_lease_gets_data_within_two_seconds(lease, group):
    net = SimNet(1)
    options = {"lease": lease, "group": group, "peers": () if group else ("source", "sink")}
    source, sink = net.start("source", **options), net.start("sink", **options)
    write = flowing(net, source, sink)
    net.run(20.0)
    old = sink.peer_id
    sink = net.start("sink", **options)
    sink.subscribe(RID)

    def arrived():
        write(b"new")
        return b"new" in sink.received[RID]

    assert net.run_until(arrived) <= 2.0
    assert source.listener.changes == ["connected", "reconnected"]
    assert source.listener.events[-1][1:4] == (sink.peer_id, "sink", old)
    assert source.peers == {sink.peer_id}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("lease", [5.0, 60.0, 0.0], ids=["5 s", "60 s", "for ever"])
def test_a_publisher_that_restarts_inside_its_lease_gives_data_within_two_seconds(lease, group):
    net = SimNet(2)
    options = {"lease": lease, "group": group, "peers": () if group else ("source", "sink")}
    source, sink = net.start("source", **options), net.start("sink", **options)
    flowing(net, source, sink)(b"old")
    net.run(20.0)
    source = net.start("source", **options)
    publisher = source.publish(RID)

    def arrived():
        if source.node.declarations.subscribers(RID) and not source.node.publisher(publisher).written:
            source.write(publisher, b"new")
        return b"new" in sink.received[RID]

    assert net.run_until(arrived) <= 2.0
    assert sink.received[RID] == [b"old", b"new"]
    assert sink.listener.changes == ["connected", "reconnected"]


def test_without_extras_a_restart_is_known_by_the_next_scout():
    net = SimNet(3)
    options = {"lease": 60.0, "session": {"extended": False}}
    source, sink = net.start("source", **options), net.start("sink", **options)
    write = flowing(net, source, sink)
    net.run(20.0)
    sink = net.start("sink", **options)
    sink.subscribe(RID)

    def arrived():
        write(b"new")
        return b"new" in sink.received[RID]

    assert net.run_until(arrived) <= 3.5
    assert source.listener.changes == ["connected", "reconnected"]


def test_datagrams_of_the_old_session_that_are_late_do_no_harm():
    net = SimNet(4, Weather(delay=(0.05, 0.15)))
    source, sink = net.start("source", lease=20.0), net.start("sink", lease=20.0)
    write = flowing(net, source, sink)
    for sample in numbered(50):
        write(sample)
        net.run(0.01)
    sink = net.start("sink", lease=20.0)
    sink.subscribe(RID)
    written = []

    def next_one():
        written.append(b"new%05d" % len(written))
        write(written[-1])

    for turn in range(300):
        net.at(net.now + 0.01 * turn, next_one)
    net.run_until(lambda: sink.received[RID][-1:] == [b"new00299"], limit=30.0)
    first = sink.received[RID].index(b"new00299") - 299
    received = [sample for sample in sink.received[RID] if sample.startswith(b"new")]
    assert received == written[written.index(received[0]) :]
    assert first <= 50
    assert source.peers == {sink.peer_id}


def lost_session(net, source, sink):
    """The source forgets the session, and the sink hears nothing of that."""
    net.part(["source"], ["sink"])
    source.node.close_session("test", address="sink")
    net.pump(source)
    net.run(0.5)
    assert (source.peers, sink.peers) == (set(), {source.peer_id})
    net.heal()


@pytest.mark.parametrize("group", GROUPS)
def test_a_session_that_one_side_lost_is_renewed(group):
    net = SimNet(5)
    options = {"lease": 20.0, "group": group, "peers": () if group else ("source", "sink")}
    source, sink = net.start("source", **options), net.start("sink", **options)
    write = flowing(net, source, sink)
    write(b"before")
    net.run(1.0)
    lost_session(net, source, sink)
    net.run_until(lambda: source.node.declarations.subscribers(RID))
    write(b"after")
    net.run(1.0)
    assert sink.received[RID] == [b"before", b"after"]
    assert source.listener.changes == ["connected", "disconnected", "connected"]
    assert sink.listener.changes == ["connected", "reconnected"]
    assert sink.listener.events[-1].previous == source.peer_id


def test_in_a_renewed_session_nothing_comes_twice():
    """Though a slower peer keeps what came before in the window."""
    net = SimNet(13, keeps=True)
    source, sink, slow = (net.start(name, lease=60.0) for name in ("source", "sink", "slow"))
    write = flowing(net, source, sink)
    net.run_until(lambda: len(slow.peers) == 2)
    net.part(["source"], ["slow"])
    for sample in numbered(20):
        write(sample)
    net.run_until(lambda: len(sink.received[RID]) == 20)
    sink.node.close_session("test", address="source")
    net.pump(sink)
    net.run_until(lambda: "reconnected" in source.listener.changes or source.listener.changes.count("connected") > 2)
    net.run_until(lambda: source.node.declarations.subscribers(RID))
    for sample in numbered(20, first=20):
        write(sample)
    net.heal()
    net.run_until(lambda: len(sink.received[RID]) >= 40)
    net.run(5.0)
    assert sink.received[RID] == numbered(40)


def test_numbers_that_do_not_fit_the_session_make_a_node_remind_its_peer():
    """Who has no such session then asks for one."""
    net = SimNet(14)
    source, sink = net.start("source"), net.start("sink")
    flowing(net, source, sink)(b"x")
    net.run(0.1)
    reminder = ("source", b"\x10" + bytes((len(sink.peer_id),)) + sink.peer_id)
    number = source.node.transmission.outlet(0).conduit.window.next
    synch = Synch(0, True, False, (number + 50) % (1 << 14), 0)
    out = bytearray()
    encode(out, synch)
    assert reminder in sink.node.receive(bytes(out), "source", net.now)


def test_doubled_and_late_messages_of_sessions_end_none():
    net = SimNet(6, Weather(0.0, duplication=0.9, delay=(0.001, 2.5)))
    nodes = [net.start(name, lease=60.0) for name in "abc"]
    net.run(60.0)
    assert all(len(node.peers) == 2 for node in nodes)
    seen = [len(node.listener.events) for node in nodes]
    net.run(300.0)
    assert [len(node.listener.events) for node in nodes] == seen


def test_a_peer_that_died_is_told_of_after_its_lease():
    net = SimNet(7, keeps=True)
    source, sink = net.start("source", lease=60.0), net.start("sink", lease=4.0)
    flowing(net, source, sink)
    net.kill("sink")
    took = net.run_until(lambda: source.listener.changes == ["connected", "disconnected"])
    assert 3.0 <= took <= 4.0
    assert source.sent[-1].address == "sink"


def test_a_node_that_shuts_down_tells_its_peers():
    net = SimNet(8)
    source, sink = net.start("source"), net.start("sink")
    flowing(net, source, sink)
    sink.node.shutdown()
    net.pump(sink)
    net.kill("sink")
    net.run(0.1)
    assert source.listener.changes == ["connected", "disconnected"]
    assert not source.node.declarations.subscribers(RID)


def sealed(net):
    return {"authentication": Authentication({1: b"k" * 16}, 1, lambda: 1e9 + net.now)}


def mixed(net):
    offered = net.random.choice([Extra(0), Extra.QUERIES, Extra.FRAGMENTS | Extra.HISTORY, Extra(31)])
    extras = Extras(offered, net.random.choice([14, 28]), 1 << 16)
    return {"session": {"extras": extras, "extended": net.random.random() < 0.9}}


@pytest.mark.parametrize(
    ("weather", "kind", "turns"),
    [
        pytest.param(Weather(), lambda _: {}, 60, id="calm"),
        pytest.param(ROUGH, lambda _: {}, 40, id="rough"),
        pytest.param(ROUGH, mixed, 30, id="rough, of all kinds"),
        pytest.param(ROUGH, sealed, 15, id="rough, sealed"),
    ],
)
def test_sixteen_peers_that_restart_at_random(weather, kind, turns):
    """In the end everyone hears everyone; nothing comes twice or in another order on the way."""
    net = SimNet(9, weather)
    names = [f"node{number:02}" for number in range(16)]
    publishers, counts, everyone = {}, {}, []

    def start(name):
        node = net.start(name, lease=4.0, **kind(net))
        node.subscribe(RID)
        publishers[name] = node.publish(RID)
        counts[name] = 0
        everyone.append(node.by_peer)

    def say(name):
        node = net.nodes[name]
        counts[name] += 1
        node.write(publishers[name], b"%b %d" % (node.peer_id, counts[name]))

    for name in names:
        start(name)
    for _ in range(turns * SCALE):
        start(net.random.choice(names))
        for name in net.random.sample(names, 8):
            say(name)
        net.run(net.random.choice([0.01, 0.1, 0.5]))
    for name in names:
        say(name)
    net.run(6.0)
    assert all(len(node.peers) == 15 for node in net.nodes.values())
    net.run_until(lambda: all(len(n.node.declarations.subscribers(RID)) == 15 for n in net.nodes.values()))
    marks = {name: b"%b %d" % (net.nodes[name].peer_id, counts[name] + 1) for name in names}
    for name in names:
        say(name)
    net.run_until(lambda: all({marks[o] for o in names if o != n} <= set(net.nodes[n].received[RID]) for n in names))
    for by_peer in everyone:
        for sender, samples in by_peer.items():
            # What a restarted peer sends before its OPEN arrives is taken to be of the one that was there.
            own = [int(sample.split()[1]) for sample in samples if sample.split()[0] == sender]
            assert own == sorted(set(own))


def test_peers_that_are_not_sought_find_no_session():
    net = SimNet(10)
    one = net.start("one", session={"seeks": Role.BROKER})
    other = net.start("other", session={"seeks": Role.BROKER})
    net.run(10.0)
    assert (one.peers, other.peers) == (set(), set())


def test_a_full_node_takes_the_next_peer_once_there_is_a_slot():
    net = SimNet(11)
    full = net.start("full", session={"max_peers": 1})
    first = net.start("first", session={"seeks": Role.BROKER})
    net.run(4.0)
    assert full.peers == {first.peer_id}
    second = net.start("second", session={"seeks": Role.BROKER})
    net.run(10.0)
    assert full.peers == {first.peer_id}
    net.kill("first")
    net.run_until(lambda: full.peers == {second.peer_id})


def test_open_and_accept_say_which_session_they_are_of():
    net = SimNet(12, keeps=True)
    one, other = net.start("one"), net.start("other")
    net.run(1.0)
    assert one.peers == {other.peer_id}
    handshake = [each.datagram for each in one.sent + other.sent if each.datagram[0] & 0x1F in (3, 4)]
    assert handshake
    assert all(bytes((SESSION, 8)) in datagram for datagram in handshake)


def test_sessions_that_end_before_they_were_told_of_leave_nothing():
    """What came within them may have been received all the same."""
    net = SimNet(15)
    node = net.start("node", session={"extras": Extras(Extra(31), 14, 1000)}).node
    for turn in range(100):
        out = bytearray()
        encode(out, Open(VERSION, b"%d" % turn, 50, (), (extras_property(Extras(Extra(31), 14, 1000)),)))
        for message in (
            Synch(0, True, True, 0, 0),
            Declare(0, False, True, 0, (SubscriberDeclaration(turn + 1, SubscriptionMode.PUSH),)),
            Fragment(1, 2, Data(0, True, True, 1, 1, None, b"x")),
            Close(b"%d" % turn, 0),
        ):
            encode(out, message)
        node.receive(bytes(out[:-3]), "a", net.now)
        node.receive(bytes(out[-3:]), "a", net.now)
        node.housekeep(net.now)
    assert len(node.sessions.peers) == len(node.reception._conduits) == len(node.reception.pieces._peers) == 0
    assert (node.declarations.books, node.transmission.outlet(0).conduit.cutter._takes) == ({}, {})
    assert len(node.reception._earlier) <= 256
