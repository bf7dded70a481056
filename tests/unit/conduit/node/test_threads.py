"""Receiving goes on beside writing, housekeeping and handlers."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.session.peer import PeerState
from simnet import SimNet, numbered

RID, SLOW = 3, 4
SMALL = ConduitSettings(window_samples=10, latency_budget=0.0)
PATIENCE = 60.0


class Stop:
    """A handler that takes its time."""

    def __init__(self):
        self.entered = Event()
        self.released = Event()
        self.payloads = []

    def __call__(self, delivery):
        self.entered.set()
        assert self.released.wait(PATIENCE)
        self.payloads += delivery.payloads


@pytest.fixture
def stop():
    handler = Stop()
    yield handler
    handler.released.set()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(1) as pool:
        yield pool


def busy(net, pool, stop):
    """Two nodes, and a receiver of one of them that is in its handler, on another thread."""
    one, two = net.start("one", conduit=SMALL, lease=60.0), net.start("two", conduit=SMALL, lease=60.0)
    one.node.subscribe(SLOW, stop, net.now)
    for node in (one, two):
        node.subscribe(RID)
    net.run_until(
        lambda: (
            one.node.declarations.subscribers(RID)
            and two.node.declarations.subscribers(RID)
            and two.node.declarations.subscribers(SLOW)
        )
    )
    two.node.write(two.publish(SLOW, conduit=1), [b"slow"], net.now)
    (sent,) = two.node.outgoing()
    receiver = pool.submit(one.node.receive, sent.datagram, "two", net.now)
    assert stop.entered.wait(PATIENCE)
    return one, two, receiver


def test_a_slow_handler_does_not_stop_acknowledgements_from_opening_windows(pool, stop):
    net = SimNet()
    one, two, receiver = busy(net, pool, stop)
    samples = numbered(50)
    write = one.write(one.publish(RID), *samples)
    net.run_until(lambda: two.received[RID] == samples)
    assert write.pending == 0
    assert not receiver.done()


def test_a_slow_handler_does_not_stop_other_conduits(pool, stop):
    net = SimNet()
    one, two, receiver = busy(net, pool, stop)
    samples = numbered(50)
    two.write(two.publish(RID, conduit=0), *samples)
    net.run_until(lambda: one.received[RID] == samples)
    assert not receiver.done()


def test_what_comes_over_the_same_conduit_meanwhile_comes_again(pool, stop):
    net = SimNet()
    one, two, receiver = busy(net, pool, stop)
    two.write(two.publish(SLOW, conduit=1), b"next")
    net.run(0.5)
    stop.released.set()
    receiver.result(PATIENCE)
    net.run_until(lambda: stop.payloads == [b"slow", b"next"])
    assert len(one.peers) == 1


def test_a_writer_that_waits_does_not_stop_receiving():
    net = SimNet()
    one, two = net.start("one", conduit=SMALL, lease=60.0), net.start("two", conduit=SMALL, lease=60.0)
    for node in (one, two):
        node.subscribe(RID)
    net.run_until(lambda: all(node.node.declarations.subscribers(RID) for node in (one, two)))
    write = one.node.write(one.publish(RID), numbered(50), net.now)
    # What it sent never arrives, so it waits.
    one.node.outgoing()
    assert write.pending
    samples = numbered(50)
    two.write(two.publish(RID), *samples)
    net.run_until(lambda: one.received[RID] == samples)


def test_an_expired_peer_is_kept_until_its_receiver_is_done(pool, stop):
    net = SimNet()
    one, two, receiver = busy(net, pool, stop)
    (peer,) = one.node.sessions.peers
    one.node.close_session("test", peer_id=two.peer_id)
    net.part(["one"], ["two"])
    net.pump(one)
    assert (peer.state, peer.active) == (PeerState.EXPIRED, 1)
    assert one.listener.changes == ["connected"]
    # Nothing of it is received any more.
    assert one.node.receive(b"\x0c\x05", "two", net.now) == []
    stop.released.set()
    receiver.result(PATIENCE)
    # The receiver woke housekeeping.
    assert one.node.wake_at <= net.now
    net.pump(one)
    assert peer.state is PeerState.UNKNOWN
    assert one.listener.changes == ["connected", "disconnected"]


def test_receivers_and_a_writer_on_threads_of_their_own():
    """Whatever the interleaving, everything arrives once and in order."""
    net = SimNet()
    one, two = net.start("one", lease=0.0), net.start("two", lease=0.0)
    two.subscribe(RID)
    net.run_until(lambda: one.node.declarations.subscribers(RID))
    publisher, samples, now = one.publish(RID), numbered(20_000), net.now
    done = Event()

    def exchange(datagrams):
        """Hand over the datagrams of the writer, and the answers to it."""
        for sent in datagrams:
            for answer in two.node.receive(sent.datagram, "one", now):
                for again in one.node.receive(answer.datagram, "two", now):
                    two.node.receive(again.datagram, "one", now)

    def write_all():
        nonlocal now
        write = one.node.write(publisher, samples, now)
        while write.pending:
            pending = pool.submit(exchange, one.node.outgoing())
            now += 0.02
            one.node.housekeep(now)
            pending.result(PATIENCE)
        while len(two.received[RID]) < len(samples):
            now += 0.02
            one.node.housekeep(now)
            exchange(one.node.outgoing())
        done.set()

    with ThreadPoolExecutor(2) as pool:
        pool.submit(write_all).result(PATIENCE)
    assert done.is_set()
    assert two.received[RID] == samples
