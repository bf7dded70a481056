"""The last samples for those who subscribe late."""

import pytest

from forebay.conduit.core.declarations.histories import History
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.wire.extras import Extra, Extras
from simnet import SimNet, Weather, numbered

from .programs import Program, meet

LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.1, 0.3)]


@pytest.fixture
def net():
    return SimNet(51)


def programs(net, *names, **options):
    found = [Program(net, name, lease=60.0, **options) for name in names]
    meet(net, *found)
    return found


def test_a_history_is_bounded_by_samples_and_octets():
    history = History(10)
    history.publishers[3] += 1
    history.keep([b"1", b"2", b"3", b"4"])
    assert list(history.samples) == [b"2", b"3", b"4"]
    history.keep([b"123456789"])
    assert list(history.samples) == [b"4", b"123456789"]
    history.keep([b"x" * 11])
    assert list(history.samples) == []


@pytest.mark.parametrize(("wanted", "there"), [(1, 1), (3, 3), (9, 5)], ids=["last value", "some", "more than there"])
@pytest.mark.parametrize("pattern", ["/a", "/*"])
def test_a_late_joiner_gets_the_last_samples_before_fresh_ones(net, wanted, there, pattern):
    source, sink = programs(net, "source", "sink")
    publisher = source.publish("/a", history=5)
    net.run(0.5)
    for sample in numbered(20):
        source.write(publisher, sample)
    net.run(0.5)
    sink.subscribe(pattern, history=wanted)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(1.0)
    assert sink.received == {"/a": [*numbered(20)[-there:], b"fresh"]}


@pytest.mark.parametrize("loss", LOSSES)
def test_among_other_subscribers_order_and_once_only_are_kept(loss):
    net = SimNet(52, Weather(loss, duplication=0.05, delay=(0.0002, 0.004)))
    source, early, late = programs(net, "source", "early", "late")
    early.subscribe("/a")
    publisher = source.publish("/a", history=10)
    net.run_until(lambda: source.reaches(publisher))
    net.run(5.0)
    samples = numbered(600)
    for place in range(0, 600, 3):
        if place == 300:
            late.subscribe("/a", history=10)
        source.write(publisher, *samples[place : place + 3])
        net.run(0.003)
    net.run_until(lambda: len(early.received["/a"]) >= 600 and late.received["/a"][-1:] == samples[-1:])
    net.run(1.0)
    assert early.received["/a"] == samples
    got = late.received["/a"]
    first = samples.index(got[0])
    assert 290 <= first < 590
    assert got == samples[first:]


def test_who_does_not_ask_gets_fresh_ones_alone(net):
    source, sink = programs(net, "source", "sink")
    publisher = source.publish("/a", history=5)
    net.run(0.5)
    source.write(publisher, b"old")
    sink.subscribe("/a")
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(0.5)
    assert sink.received == {"/a": [b"fresh"]}


def test_publishers_that_keep_nothing_are_heard_too(net):
    source, sink = programs(net, "source", "sink")
    publisher = source.publish("/a")
    sink.subscribe("/a", history=3)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(0.5)
    assert sink.received == {"/a": [b"fresh"]}


def test_without_an_agreement_nothing_waits(net):
    source, sink = programs(net, "source", "sink", offers=Extras(Extra.QUERIES))
    publisher = source.publish("/a", history=5)
    net.run(0.5)
    source.write(publisher, b"old")
    sink.subscribe("/a", history=5)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, b"fresh")
    net.run(0.5)
    assert sink.received == {"/a": [b"fresh"]}


def test_a_publisher_that_comes_later_is_heard(net):
    (sink,) = programs(net, "sink")
    sink.subscribe("/a", history=2)
    source = Program(net, "source", lease=60.0)
    publisher = source.publish("/a", history=2)
    net.run_until(lambda: source.reaches(publisher))
    source.write(publisher, *numbered(5))
    net.run(1.0)
    assert sink.received == {"/a": numbered(5)}


def test_who_subscribes_anew_asks_anew(net):
    source, sink = programs(net, "source", "sink")
    publisher = source.publish("/a", history=2)
    net.run(0.5)
    source.write(publisher, *numbered(5))
    for _ in range(2):
        subscriber = sink.subscribe("/a", history=2)
        net.run(1.0)
        sink.call("forget_subscriber", subscriber)
        net.run(1.0)
    assert sink.received == {"/a": numbered(5)[-2:] * 2}


def test_a_dead_late_joiner_holds_nobody_up_for_longer_than_its_lease(net):
    source, early = programs(net, "source", "early")
    late = Program(net, "late", lease=1.0)
    early.subscribe("/a")
    publisher = source.publish("/a", history=2)
    net.run_until(lambda: source.reaches(publisher) and late.sim.peers)
    source.write(publisher, b"1")
    net.run(0.5)
    late.subscribe("/a", history=2)
    net.run_until(lambda: len(source.reaches(publisher)) == 2)
    net.kill("late")
    write = source.write(publisher, b"2")
    net.run(3.0)
    assert not write.pending
    assert early.received == {"/a": [b"1", b"2"]}


def test_with_its_last_publisher_the_history_goes(net):
    source, sink = programs(net, "source", "sink", declarations=DeclarationSettings(history_octets=8))
    for _ in range(2):
        publisher = source.publish("/a", history=2)
        net.run(0.5)
        source.write(publisher, b"12345", b"67890")
        net.run(0.1)
        if _ == 0:
            source.call("forget_publisher", publisher)
    sink.subscribe("/a", history=9)
    net.run(1.0)
    assert sink.received == {"/a": [b"67890"]}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("wanted", [1, 10], ids=["last value", "last 10"])
def test_a_late_joiner_that_restarts_gets_them_again(loss, wanted):
    net = SimNet(57, Weather(loss, duplication=0.05, delay=(0.0002, 0.004)))
    source = Program(net, "source", lease=60.0)
    publisher, samples = source.publish("/a", history=10), numbered(600)
    for turn in range(5):
        sink = Program(net, "sink", lease=60.0)
        sink.subscribe("/a", history=wanted)
        for place in range(100 * turn, 100 * turn + 100, 5):
            source.write(publisher, *samples[place : place + 5])
            net.run(0.05)
        last = samples[100 * turn + 99]
        net.run_until(lambda: source.reaches(publisher) and sink.received["/a"][-1:] == [last])  # noqa: B023
        got = sink.received["/a"]
        first = samples.index(got[0])
        assert got == samples[first : 100 * turn + 100]
        assert len(got) >= wanted


@pytest.mark.parametrize("loss", LOSSES)
def test_large_and_unreliable_and_other_samples_do_not_disturb_a_history(loss):
    net = SimNet(58, Weather(loss, duplication=0.05, delay=(0.0002, 0.004)))
    offers = Extras(Extra(31), 28, 1 << 18)
    source = Program(net, "source", lease=60.0, offers=offers)
    kept, other = source.publish("/a", history=3), source.publish("/b", reliable=False)
    samples = [net.random.randbytes(size) for size in (10, 9000, 20, 30_000, 30, 40, 9000)]
    for sample in samples[:5]:
        source.write(kept, sample)
        source.write(other, bytes(5000))
    late = Program(net, "late", lease=60.0, offers=offers)
    meet(net, source, late)
    late.subscribe("/a", history=3)
    late.subscribe("/b")
    net.run_until(lambda: source.reaches(kept))
    for sample in samples[5:]:
        source.write(kept, sample)
        source.write(other, bytes(5000))
    net.run_until(lambda: len(late.received["/a"]) >= 5)
    net.run(1.0)
    assert late.received["/a"] == samples[2:]
