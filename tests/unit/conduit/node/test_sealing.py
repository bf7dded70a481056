"""With keys, nothing is taken that was not sealed with one of them."""

import pytest

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire import header
from forebay.conduit.core.wire.authentication import OVERHEAD
from forebay.conduit.core.wire.encoder import encode
from forebay.conduit.core.wire.extras import Extra, Extras
from forebay.conduit.core.wire.messages import VERSION, Close, KeepAlive, Open
from simnet import GROUP, SimNet, Weather, numbered

from .test_reliability import LOSSES, ROUGH, wanted

RID = 7
OLD, NEW = b"old-secret-old-secret", b"new-secret-new-secret"
EPOCH = 1_700_000_000.0
GROUPS = [pytest.param(GROUP, id="multicast"), pytest.param(None, id="a copy each")]


def keys(net, *ids, seal=1, skew=0.0, **options):
    every = {1: OLD, 2: NEW}
    return Authentication({each: every[each] for each in ids or (1,)}, seal, lambda: EPOCH + net.now + skew, **options)


def start(net, name, authentication, group=GROUP, **options):
    options.setdefault("lease", 20.0)
    options.setdefault("peers", () if group else ("a", "b"))
    return net.start(name, group=group, authentication=authentication, **options)


def octets(*messages):
    out = bytearray()
    for message in messages:
        encode(out, message)
    return bytes(out)


def pair(net, **options):
    source, sink = (start(net, name, keys(net), **options) for name in "ab")
    sink.subscribe(RID)
    wanted(net, source, RID)
    return source, sink


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("loss", LOSSES)
def test_nodes_with_a_key_speak_with_each_other(loss, group):
    net = SimNet(1, Weather(loss, duplication=0.05, delay=ROUGH), keeps=True)
    source, sink = pair(net, group=group, session={"extras": Extras(Extra(31), 28, 1 << 20)})
    samples = [*numbered(300), bytes(20_000), *numbered(300)]
    source.write(source.publish(RID), *samples)
    net.run_until(lambda: sink.received[RID] == samples)
    sent = source.sent + sink.sent
    assert all(each.datagram[0] & header.ID_MASK == header.SEALED for each in sent)
    assert max(len(each.datagram) for each in sent) <= 1472
    (peer,) = source.node.sessions.peers
    assert Extra.AUTHENTICATION in source.node.agreement(peer).offered


@pytest.mark.parametrize(
    "spoofed",
    [
        pytest.param(lambda peer_id: octets(Close(peer_id, 0)), id="CLOSE"),
        pytest.param(lambda peer_id: octets(KeepAlive(peer_id)), id="KEEPALIVE"),
        pytest.param(lambda peer_id: octets(Open(VERSION, peer_id, 50)), id="OPEN"),
        pytest.param(lambda _: b"\xff" * 40, id="nonsense"),
        pytest.param(lambda _: b"", id="empty"),
    ],
)
def test_what_is_not_sealed_is_refused_and_counted(spoofed):
    net = SimNet(2)
    source, sink = pair(net)
    for address in ("a", "elsewhere"):
        assert sink.node.receive(spoofed(source.peer_id), address, net.now) == []
    net.pump(sink)
    assert sink.node.sealing.refused == {"not sealed": 2}
    assert (sink.peers, sink.listener.changes) == ({source.peer_id}, ["connected"])
    assert sink.node.sessions.peers.by_id(source.peer_id).address == "a"


def test_a_close_under_another_key_is_refused_and_counted():
    net = SimNet(3)
    source, sink = pair(net)
    forger = start(SimNet(4), "a", Authentication({1: NEW}, 1, lambda: EPOCH + net.now))
    forged = forger.node.sealing.seal(octets(Close(source.peer_id, 0)), sink.peer_id)
    assert sink.node.receive(forged, "a", net.now) == []
    net.pump(sink)
    assert sink.node.sealing.refused == {"its hash is wrong": 1}
    assert sink.peers == {source.peer_id}


def test_a_close_for_one_peer_can_not_be_turned_on_another():
    net = SimNet(5, keeps=True)
    nodes = [start(net, name, keys(net)) for name in "abc"]
    net.run_until(lambda: all(len(node.peers) == 2 for node in nodes))
    one, two, three = nodes
    since = len(one.sent)
    one.node.close_session("test", peer_id=two.peer_id)
    net.pump(one)
    (close,) = [each.datagram for each in one.sent[since:] if each.address == "b"]
    assert three.node.receive(close, "a", net.now) == []
    net.pump(three)
    assert one.peer_id in three.peers


def test_what_was_recorded_is_refused_when_it_comes_again():
    net = SimNet(6, keeps=True)
    source, sink = pair(net)
    source.node.close_session("test", address="b")
    net.pump(source)
    close = source.sent[-1].datagram
    net.run_until(lambda: sink.listener.changes == ["connected", "disconnected", "connected"])
    assert sink.node.receive(close, "a", net.now) == []
    net.run(60.0)
    assert sink.node.receive(close, "a", net.now) == []
    assert sink.node.sealing.refused == {
        "repeated, or far too late": 1,
        "its stamp is too far from this node's time": 1,
    }
    assert sink.peers == {source.peer_id}


@pytest.mark.parametrize("group", GROUPS)
def test_a_peer_without_a_key_gets_no_session(group):
    net = SimNet(7)
    one, plain = start(net, "a", keys(net), group), start(net, "b", None, group)
    net.run(20.0)
    assert (one.peers, plain.peers) == (set(), set())
    assert one.node.sealing.refused["not sealed"] >= 3


def test_what_a_node_hears_of_itself_is_not_taken_either():
    net = SimNet(8)
    node = start(net, "a", keys(net), peers=("a",))
    net.run(20.0)
    assert (node.peers, len(node.node.sessions.peers), node.node.sealing.refused) == (set(), 0, {})


@pytest.mark.parametrize("skew", [-29.0, 29.0])
def test_clocks_may_differ_by_the_tolerance(skew):
    net = SimNet(9)
    source, sink = start(net, "a", keys(net)), start(net, "b", keys(net, skew=skew))
    net.run_until(lambda: source.peers == {sink.peer_id})


def test_clocks_that_differ_by_more_are_told_by_the_reason():
    net = SimNet(10)
    source, sink = start(net, "a", keys(net)), start(net, "b", keys(net, skew=11.0, tolerance=10.0))
    net.run(10.0)
    assert source.peers == set()
    assert set(sink.node.sealing.refused) >= {"its stamp is too far from this node's time"}


def test_the_key_is_changed_while_samples_flow():
    net = SimNet(11, Weather(0.05, delay=ROUGH), keeps=True)
    source, sink = pair(net)
    publisher, samples = source.publish(RID), numbered(600)
    steps = [({1: OLD, 2: NEW}, 1), ({1: OLD, 2: NEW}, 2), ({2: NEW}, 2)]
    for place, (held, seal) in enumerate(steps):
        source.write(publisher, *samples[place * 200 : place * 200 + 200])
        for node in (sink, source):
            net.run(0.05)
            node.node.rotate(held, seal)
    net.run_until(lambda: sink.received[RID] == samples)
    assert sink.node.sealing.refused == {}
    assert source.listener.changes == ["connected"]
    since = len(source.sent)
    net.run(20.0)
    assert {each.datagram[1] for each in source.sent[since:]} == {2}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("lease", [5.0, 60.0], ids=["5 s", "60 s"])
def test_a_peer_that_restarts_inside_its_lease_is_back_at_once(lease, group):
    net = SimNet(12)
    source, sink = pair(net, lease=lease, group=group)
    publisher = source.publish(RID)
    net.run(20.0)
    sink = start(net, "b", keys(net), lease=lease, group=group)
    sink.subscribe(RID)

    def arrived():
        source.write(publisher, b"new")
        return b"new" in sink.received[RID]

    assert net.run_until(arrived) <= 2.0
    assert source.listener.changes == ["connected", "reconnected"]


def test_who_is_not_sought_by_the_one_that_restarted_makes_itself_known():
    """What it seals for the node that was there tells that one of it."""
    net = SimNet(13)
    source = start(net, "a", keys(net), None, peers=("b",), lease=60.0)
    sink = start(net, "b", keys(net), None, peers=(), lease=60.0)
    net.run_until(lambda: source.peers == {sink.peer_id})
    again = start(net, "b", keys(net), None, peers=(), lease=60.0)
    assert net.run_until(lambda: source.peers == {again.peer_id}) <= 16.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"keys": {1: b"short"}, "key_id": 1}, "key 1 has 5 octets: take 16 to 64", id="short"),
        pytest.param(
            {"keys": {1: OLD}, "key_id": 2}, r"key_id is 2, and there is no such key: take one of \[1\]", id="none"
        ),
        pytest.param({"keys": {300: OLD}, "key_id": 300}, "the id of a key is 300: take 0 to 255", id="id"),
        pytest.param({"keys": dict.fromkeys(range(17), OLD), "key_id": 1}, "there are 17 keys", id="many"),
        pytest.param({"keys": {1: OLD}, "key_id": 1, "tolerance": 0}, "tolerance is 0", id="tolerance"),
        pytest.param({"keys": {1: OLD}, "key_id": 1, "most_senders": 0}, "most_senders is 0", id="senders"),
    ],
)
def test_settings_that_can_not_be_are_refused_by_name_without_a_key_in_the_message(options, message):
    with pytest.raises(SettingError, match=message) as caught:
        Authentication(wall_clock=lambda: EPOCH, **options)
    assert "secret" not in str(caught.value)
    assert "short'" not in str(caught.value)


def test_no_key_is_in_any_text():
    net = SimNet(14)
    node = start(net, "a", keys(net, 1, 2)).node
    settings = NodeSettings(SessionSettings(b"x"), authentication=keys(net))
    with pytest.raises(SettingError) as caught:
        node.rotate({2: NEW}, 1)
    texts = [repr(each) for each in (settings, settings.authentication, node, node.sealing, caught.value)]
    assert not any(word in text for text in texts for word in ("secret", OLD.hex(), NEW.hex()))


def test_a_seal_takes_room_in_a_datagram():
    net = SimNet(15)
    node = start(net, "a", keys(net)).node
    assert node.transmission.outlet(0).conduit.settings.mtu == 1472 - OVERHEAD


def test_a_key_can_not_be_changed_where_there_is_none():
    net = SimNet(16)
    with pytest.raises(SettingError, match="the node has no authentication"):
        start(net, "a", None).node.rotate({1: OLD}, 1)
