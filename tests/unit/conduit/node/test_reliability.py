"""Reliable samples arrive once and in order, whatever the network does."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SCALE
from forebay.conduit.core.conduits.settings import ConduitSettings
from simnet import GROUP, SimNet, Weather, numbered

RID = 7
LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.01, 0.1, 0.3)]
GROUPS = [pytest.param(GROUP, id="multicast"), pytest.param(None, id="a copy each")]
ROUGH = (0.0002, 0.004)
"""Delays by which datagrams overtake each other."""


def meet(net, *nodes):
    net.run_until(lambda: all(len(node.peers) == len(nodes) - 1 for node in nodes))


def wanted(net, source, rid, count=1):
    """Wait until so many peers' subscriptions are known."""
    net.run_until(lambda: len(source.node.declarations.subscribers(rid)) == count)


def pair(net, **options):
    source, sink = net.start("source", **options), net.start("sink", **options)
    sink.subscribe(RID)
    wanted(net, source, RID)
    return source, sink


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("loss", LOSSES)
def test_to_several_peers_at_once(loss, group):
    net = SimNet(5, Weather(loss, duplication=0.05, delay=ROUGH))
    source, *sinks = (net.start(name, group=group, lease=20.0, peers="abcd" if not group else "") for name in "abcd")
    for sink in sinks:
        sink.subscribe(RID)
    wanted(net, source, RID, len(sinks))
    samples = numbered(2000 * SCALE)
    source.write(source.publish(RID), *samples)
    net.run_until(lambda: all(len(sink.received[RID]) >= len(samples) for sink in sinks), limit=300.0 * SCALE)
    net.run(1.0)
    assert all(sink.received[RID] == samples for sink in sinks)
    assert not any(sink.node.reception.lost for sink in sinks)


@pytest.mark.parametrize("loss", LOSSES)
def test_to_one_peer_alone(loss):
    net = SimNet(6, Weather(loss, duplication=0.05, delay=ROUGH))
    source, sink = pair(net, lease=20.0)
    other = net.start("other", lease=20.0)
    other.subscribe(RID)
    wanted(net, source, RID, 2)
    index = source.node.sessions.peers.by_id(sink.peer_id).index
    samples = numbered(2000 * SCALE)
    source.write(source.publish(RID, conduit=-index - 1), *samples)
    net.run_until(lambda: len(sink.received[RID]) >= len(samples), limit=300.0 * SCALE)
    net.run(1.0)
    assert sink.received[RID] == samples
    assert other.received[RID] == []


@pytest.mark.parametrize("loss", LOSSES)
def test_with_a_member_that_dies(loss):
    """It holds the window up until its lease ends; the others then get the rest."""
    net = SimNet(7, Weather(loss, duplication=0.05, delay=ROUGH))
    source = net.start("source", lease=20.0)
    dying, living = net.start("dying", lease=2.0), net.start("living", lease=20.0)
    dying.subscribe(RID)
    living.subscribe(RID)
    wanted(net, source, RID, 2)
    publisher, samples = source.publish(RID), numbered(4000)
    source.write(publisher, *samples[:1000])
    net.run_until(lambda: len(dying.received[RID]) > 200)
    net.kill("dying")
    write = source.write(publisher, *samples[1000:])
    net.run(1.0)
    assert len(living.received[RID]) < len(samples)
    net.run_until(lambda: len(living.received[RID]) >= len(samples), limit=300.0)
    net.run(1.0)
    assert living.received[RID] == samples
    assert dying.received[RID] == samples[: len(dying.received[RID])]
    assert write.pending == 0
    assert source.peers == {living.peer_id}


class Near(Random):
    """Lets numbers begin just before they wrap."""

    def getrandbits(self, bits: int) -> int:
        return (1 << bits) - 50


@pytest.mark.parametrize("bits", [7, 14, 28])
def test_numbers_wrap(bits):
    net = SimNet(8, Weather(0.1, duplication=0.05, delay=(0.0002, 0.0003)), randoms=Near)
    conduit = ConduitSettings(number_bits=bits, window_samples=20, reorder_samples=10)
    source, sink = pair(net, conduit=conduit, lease=20.0)
    publisher, samples = source.publish(RID), numbered(500)
    source.write(publisher, *samples)
    net.run_until(lambda: len(sink.received[RID]) >= len(samples))
    assert sink.received[RID] == samples
    assert source.node.transmission.outlet(0).conduit.window.next > 1 << bits


@settings(max_examples=100 * SCALE, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    loss=st.sampled_from([0.0, 0.01, 0.1, 0.3]),
    duplication=st.sampled_from([0.0, 0.2]),
    longest=st.sampled_from([0.0002, 0.002, 0.02]),
    window=st.sampled_from([(200, 3), (1000, 20), (16384, 60)]),
    reorder=st.sampled_from([0, 4, 60]),
    budget=st.sampled_from([0.0, 0.003, 0.01]),
    group=st.sampled_from([GROUP, None]),
    members=st.integers(1, 3),
    writes=st.lists(st.tuples(st.integers(1, 60), st.floats(0.0, 0.05)), min_size=1, max_size=8),
)
def test_whatever_happens(seed, loss, duplication, longest, window, reorder, budget, group, members, writes):
    net = SimNet(seed, Weather(loss, duplication, (0.0001, longest)))
    conduit = ConduitSettings(
        window_octets=window[0], window_samples=window[1], reorder_samples=reorder, latency_budget=budget
    )
    options = {"conduit": conduit, "lease": 60.0, "group": group, "peers": () if group else ("source",)}
    source = net.start("source", **options)
    sinks = [net.start(f"sink{place}", **options) for place in range(members)]
    for sink in sinks:
        sink.subscribe(RID)
    wanted(net, source, RID, members)
    publisher, samples = source.publish(RID), []
    for count, pause in writes:
        more = numbered(count, first=len(samples))
        samples += more
        source.write(publisher, *more)
        net.run(pause)
    net.run_until(lambda: all(len(sink.received[RID]) >= len(samples) for sink in sinks), limit=600.0)
    net.run(0.5)
    assert all(sink.received[RID] == samples for sink in sinks)


def test_unreliable_samples_come_in_order_and_at_most_once():
    net = SimNet(9, Weather(0.1, duplication=0.2, delay=ROUGH))
    source, sink = pair(net, lease=20.0)
    publisher, samples = source.publish(RID, reliable=False), numbered(500)
    for sample in samples:
        source.write(publisher, sample)
        net.run(0.002)
    net.run(1.0)
    received = sink.received[RID]
    assert received == sorted(set(received))
    assert 300 < len(received) < 500


def test_both_conduits_and_both_ways_at_once():
    net = SimNet(10, Weather(0.1, duplication=0.05, delay=ROUGH))
    left, right = net.start("left", lease=20.0), net.start("right", lease=20.0)
    samples = numbered(500)
    for sink in (left, right):
        sink.subscribe(1)
        sink.subscribe(2)
    for source in (left, right):
        wanted(net, source, 1)
        wanted(net, source, 2)
        source.write(source.publish(1, conduit=0), *samples)
        source.write(source.publish(2, conduit=1), *samples)
    net.run_until(lambda: all(len(node.received[rid]) >= 500 for node in (left, right) for rid in (1, 2)))
    assert all(node.received[rid] == samples for node in (left, right) for rid in (1, 2))


def test_a_partition_shorter_than_the_lease_loses_nothing():
    net = SimNet(11, Weather(0.01, delay=ROUGH))
    source, sink = pair(net, lease=20.0)
    publisher, samples = source.publish(RID), numbered(1000)
    source.write(publisher, *samples[:500])
    net.part(["source"], ["sink"])
    source.write(publisher, *samples[500:])
    net.run(10.0)
    net.heal()
    net.run_until(lambda: len(sink.received[RID]) >= 1000)
    assert sink.received[RID] == samples
    assert sink.listener.changes == ["connected"]


def test_a_late_joiner_begins_with_what_comes_then():
    net = SimNet(12, Weather(0.05, delay=ROUGH))
    source, sink = pair(net, lease=20.0)
    publisher, samples = source.publish(RID), numbered(2000)
    source.write(publisher, *samples[:1000])
    late = net.start("late", lease=20.0)
    late.subscribe(RID)
    wanted(net, source, RID, 2)
    source.write(publisher, *samples[1000:])
    net.run_until(lambda: sink.received[RID] == samples and late.received[RID][-1:] == samples[-1:])
    first = samples.index(late.received[RID][0])
    assert first <= 1000
    assert late.received[RID] == samples[first:]
