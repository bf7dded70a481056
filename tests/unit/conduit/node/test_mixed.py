"""Nodes of our own kind among plain ones, whatever the network does and whatever is sent to them."""

import gc
import random
import tracemalloc
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SCALE
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import SampleTooLargeError
from forebay.conduit.core.sealing import Authentication
from forebay.conduit.core.wire.encoder import conduit_marker, encode
from forebay.conduit.core.wire.extras import Extra, Extras, extras_property
from forebay.conduit.core.wire.header import OWN_IDS
from forebay.conduit.core.wire.messages import VERSION, Data, Declare, Open, Synch, WriteData
from forebay.conduit.core.wire.ownmessages import Fragment
from simnet import GROUP, SimNet, Weather, numbered

from ..wire.test_malformed import fuzzed
from .test_reliability import wanted

RID, REFUSED = 7, 9
KEY = b"0123456789abcdef"
OFFERS = [
    Extras(),
    Extras(Extra.QUERIES | Extra.HISTORY),
    Extras(Extra.FRAGMENTS, 14, 4000),
    Extras(Extra(31), 28, 1 << 16),
]
FUZZED = 8_000 * SCALE


def sealed(net):
    return Authentication({1: KEY}, 1, lambda: 1_700_000_000.0 + net.now)


@settings(max_examples=60 * SCALE, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    loss=st.sampled_from([0.0, 0.01, 0.1, 0.3]),
    longest=st.sampled_from([0.0002, 0.002, 0.02]),
    window=st.sampled_from([(300, 5), (2000, 40), (16384, 60)]),
    group=st.sampled_from([GROUP, None]),
    authenticated=st.booleans(),
    offers=st.lists(st.sampled_from(OFFERS), min_size=2, max_size=4),
    alone=st.booleans(),
    writes=st.lists(
        st.tuples(st.lists(st.integers(0, 9000), min_size=1, max_size=12), st.floats(0.0, 0.05)), min_size=1, max_size=6
    ),
)
def test_whatever_was_taken_arrives_once_and_in_order(
    seed, loss, longest, window, group, authenticated, offers, alone, writes
):
    """`alone`: samples go to the first peer alone, by a conduit whose numbers may be long."""
    net = SimNet(seed, Weather(loss, 0.1, (0.0001, longest)))
    conduit = ConduitSettings(window_octets=window[0], window_samples=window[1], reorder_samples=30, mtu=250)
    source, *sinks = (
        net.start(
            f"node{place}",
            conduit=conduit,
            lease=60.0,
            group=group,
            peers=() if group else ("node0",),
            session={"extras": offer},
            authentication=sealed(net) if authenticated else None,
        )
        for place, offer in enumerate(offers)
    )
    for sink in sinks:
        sink.subscribe(RID)
    wanted(net, source, RID, len(sinks))
    # A session may have begun more than once, if the answers to OPENs were lost.
    changes = list(source.listener.changes)
    first = source.node.sessions.peers.by_id(sinks[0].peer_id)
    publisher, expected = source.publish(RID, conduit=-first.index - 1 if alone else 0), []
    agreed = [source.node.agreement(peer).largest_sample for peer in source.node.sessions.peers]
    limit = first.extras.largest_sample if alone else min(agreed)
    for sizes, pause in writes:
        samples = [net.random.randbytes(size) for size in sizes]
        try:
            source.write(publisher, *samples)
        except SampleTooLargeError:
            assert max(sizes) > max(limit, 150)
            continue
        assert max(sizes) <= max(limit, 250)
        expected += samples
        net.run(pause)
    reached = sinks[:1] if alone else sinks
    net.run_until(lambda: all(len(sink.received[RID]) >= len(expected) for sink in reached), limit=1200.0)
    net.run(0.5)
    assert all(sink.received[RID] == expected for sink in reached)
    assert all(not sink.received[RID] for sink in sinks[len(reached) :])
    assert source.listener.changes == changes


def first_octets(datagram):
    """Of the message behind the marker of a conduit, if there is one."""
    return datagram[1] if datagram[0] & 0x9F == 0x93 else datagram[0]


def test_a_plain_peer_never_gets_what_it_knows_nothing_of():
    """Though everybody else uses all there is."""
    net = SimNet(3, Weather(0.05, delay=(0.0002, 0.004)), keeps=True)
    plain = net.start("plain", lease=20.0)
    own = [net.start(name, lease=20.0, session={"extras": OFFERS[-1]}) for name in "abc"]
    for node in (plain, *own):
        node.subscribe(RID, history=3)
    net.run(2.0)
    publishers = [node.publish(RID, history=3) for node in own]
    since = [len(node.sent) for node in own]
    for turn in range(20):
        for node, publisher in zip(own, publishers, strict=True):
            node.write(publisher, *numbered(20, first=20 * turn))
        net.run(0.1)
    net.run(5.0)
    for node, begin in zip(own, since, strict=True):
        to_plain = [each.datagram for each in node.sent[begin:] if each.address in ("plain", GROUP)]
        assert to_plain
        assert not any(first_octets(datagram) & 0x1F in OWN_IDS for datagram in to_plain)
        assert plain.by_peer[node.peer_id] == numbered(400)
    assert plain.listener.changes == ["connected"] * 3


def hostile(random_, numbers):
    """Datagrams of a peer that has a session and means no good: sound messages with numbers that count on."""
    conduit = random_.randrange(3)
    if random_.random() < 0.2:
        return fuzzed(random_)
    reliable = random_.random() < 0.8
    number = numbers[conduit, reliable]
    if random_.random() < 0.9:
        numbers[conduit, reliable] = (number + 1) % (1 << 14)
    rid = random_.choice([RID, REFUSED, random_.randrange(1 << random_.randrange(1, 30))])
    payload = random_.randbytes(random_.randrange(60))
    piece = Data(conduit, reliable, True, number, rid, random_.choice([None, 0, 5]), payload)
    base = (number - random_.randrange(3)) % (1 << 14)
    message = random_.choice(
        [
            piece,
            WriteData(conduit, reliable, False, number, f"/{rid}", payload),
            Fragment(base, random_.randrange(1, 1 << 14), piece),
            Declare(conduit, False, random_.random() < 0.5, number, ()) if reliable else piece,
        ]
    )
    out = bytearray(conduit_marker(conduit))
    encode(out, message)
    return bytes(out)


def opening(numbers):
    out = bytearray()
    encode(out, Open(VERSION, b"foe", 50, (), (extras_property(OFFERS[-1]._replace(number_bits=14)),)))
    for conduit in range(3):
        out += conduit_marker(conduit)
        encode(out, Synch(conduit, True, True, numbers[conduit, True], 0))
    return bytes(out)


@pytest.mark.timeout(300 * SCALE)
def test_a_node_stands_whatever_it_is_sent():
    """It raises nothing and keeps within its bounds; a peer that behaves is served all the while."""
    net = SimNet(4)
    session = {"extras": OFFERS[-1], "max_peers": 40}
    node, friend = net.start("node", session=session, lease=60.0), net.start("friend", session=session, lease=60.0)
    node.subscribe(RID)
    node.node.subscribe(REFUSED, lambda _: random_.choice([0, 1]), net.now)
    wanted(net, friend, RID)
    publisher, random_, numbers = friend.publish(RID), random.Random(1), defaultdict(int)
    tracemalloc.start()
    try:
        before = 0
        for place in range(FUZZED):
            if place % 5 == 0:
                node.node.housekeep(net.now)
                node.node.receive(opening(numbers), "foe", net.now)
            if place % 50 == 0:
                net.run(0.01)
                friend.write(publisher, b"%08d" % place)
            source = "foe" if random_.random() < 0.9 else f"stranger{random_.randrange(20)}"
            node.node.receive(hostile(random_, numbers), source, net.now)
            if place == FUZZED // 10:
                gc.collect()
                before, _ = tracemalloc.get_traced_memory()
        net.run(30.0)
        node.received.clear()
        friend.received.clear()
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert node.by_peer[friend.peer_id] == [b"%08d" % place for place in range(0, FUZZED, 50)]
    assert friend.peer_id in node.peers
    reception = node.node.reception
    assert min(reception.refused, reception.pieces.broken, node.node.intake.malformed) > FUZZED // 400
    assert peak < 40_000_000
    assert after - before < 2_000_000 + 200 * FUZZED // 50
