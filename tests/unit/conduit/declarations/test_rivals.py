"""Nodes that define one resource at the same moment, over a network that loses datagrams."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SCALE
from forebay.conduit.core.declarations.quality import Told
from forebay.conduit.core.wire.declarations import ResultStatus
from simnet import SimNet, Weather

from .programs import Program, meet

LOSSES = [pytest.param(loss, id=f"{loss:.0%}") for loss in (0.0, 0.1, 0.3)]


def programs(net, names):
    """Their peer ids are in the order of the names."""
    found = [Program(net, name, lease=60.0) for name in names]
    meet(net, *found)
    return found


def settle(net, *definitions):
    net.run_until(lambda: all(each.status is not None for each in definitions))
    net.run(2.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_lowest_id_wins_and_the_other_one_is_in_conflict(loss):
    net = SimNet(31, Weather(loss, delay=(0.001, 0.01)))
    low, high = programs(net, "ab")
    later, sooner = high.define("/high", rid=5), low.define("/low", rid=5)
    settle(net, later, sooner)
    assert (sooner.status, later.status) == (ResultStatus.OK, ResultStatus.CONFLICT)
    assert later.tries
    assert low.register.directory.names.resources.uri(5) == "/low"
    assert high.register.directory.names.resources.uri(5) == "/low"
    (event,) = high.conflicts
    assert (event.first.uri, event.second.uri) == ("/low", "/high")
    assert len(low.sim.peers) == len(high.sim.peers) == 1


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loser_tries_again_by_itself_and_agrees(loss):
    net = SimNet(32, Weather(loss, delay=(0.001, 0.01)))
    low, high = programs(net, "ab")
    definitions = [each.define("/same", rid=5, told=Told(reliable=True)) for each in (high, low)]
    settle(net, *definitions)
    assert [each.status for each in definitions] == [ResultStatus.OK] * 2
    assert definitions[0].tries >= 1
    for each in (low, high):
        assert len(each.register.directory.names.resources.get(5).holders) == 2
        assert each.conflicts == each.refusals == []


@pytest.mark.parametrize("loss", LOSSES)
def test_a_node_that_chose_the_id_takes_another_one(loss):
    net = SimNet(33, Weather(loss, delay=(0.001, 0.01)))
    low, high = programs(net, "ab")
    chosen = high.register.directory.names.resources.choose("/chosen", 0)
    definitions = [high.define("/chosen"), low.define("/fixed", rid=chosen)]
    settle(net, *definitions)
    assert [each.status for each in definitions] == [ResultStatus.OK] * 2
    assert definitions[0].rid != chosen
    assert high.register.directory.names.resources.uri(chosen) == "/fixed"


def test_what_others_know_and_the_node_does_not_is_avoided_too():
    """The hub alone knows both."""
    net = SimNet(34)
    hub = Program(net, "hub", lease=60.0, group=None)
    one, two = (Program(net, name, lease=60.0, group=None, peers=["hub"]) for name in ("one", "two"))
    net.run_until(lambda: len(hub.sim.peers) == 2)
    chosen = two.register.directory.names.resources.choose("/two", 0)
    first = one.define("/one", rid=chosen)
    settle(net, first)
    second = two.define("/two")
    third = two.define("/three", rid=chosen)
    settle(net, second, third)
    assert second.status is ResultStatus.OK
    assert second.rid != chosen
    assert third.status is ResultStatus.CONFLICT
    assert "CONFLICT" in third.reason


@settings(max_examples=25 * SCALE, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    loss=st.sampled_from([0.0, 0.1, 0.3]),
    longest=st.sampled_from([0.0002, 0.02]),
    count=st.integers(2, 4),
    wishes=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([None, 1, 2]), st.sampled_from(["/a", "/b"]), st.floats(0, 0.03)),
        min_size=1,
        max_size=6,
    ),
)
def test_all_agree_in_the_end(seed, loss, longest, count, wishes):
    net = SimNet(seed, Weather(loss, delay=(0.0001, longest)))
    nodes = programs(net, "abcd"[:count])
    definitions = []
    for who, rid, uri, pause in wishes:
        definitions.append(nodes[who % count].define(uri, rid=rid))
        net.run(pause)
    settle(net, *definitions)
    assert {each.status for each in definitions} <= {ResultStatus.OK, ResultStatus.CONFLICT}
    tables = [
        {each.rid: (each.meaning.uri, len(each.holders)) for each in node.register.directory.names.resources}
        for node in nodes
    ]
    assert all(table == tables[0] for table in tables)
    held = {(each.rid, each.uri) for each in definitions if not each.status}
    assert held == {(rid, uri) for rid, (uri, _) in tables[0].items()}
    assert all(len(node.sim.peers) == count - 1 for node in nodes)


@pytest.mark.parametrize("loss", LOSSES)
def test_restarts_leave_nothing_behind(loss):
    net = SimNet(35, Weather(loss, delay=(0.0002, 0.004)))
    stays = Program(net, "stays", lease=30.0)
    stays.subscribe("/r/*")
    for turn in range(4):
        again = Program(net, "again", lease=30.0)
        publisher = again.publish(f"/r/{turn}")
        net.run_until(lambda again=again, publisher=publisher: again.reaches(publisher))
        again.write(publisher, b"%d" % turn)
        net.run_until(lambda turn=turn: stays.received[f"/r/{turn}"])
    net.kill("again")
    net.run(31.0)
    assert stays.received == {f"/r/{turn}": [b"%d" % turn] for turn in range(4)}
    assert [each for each in stays.participant.known() if each.peer_id] == []
    assert len(stays.register.directory.names.resources) == 1


@pytest.mark.parametrize("loss", LOSSES)
def test_late_joiners_get_everything(loss):
    net = SimNet(36, Weather(loss, delay=(0.0002, 0.004)))
    source = Program(net, "source", lease=30.0)
    publishers = [source.publish(f"/r/{number}") for number in range(200)]
    late = Program(net, "late", lease=30.0)
    late.subscribe("/r/*")
    for number in range(200, 220):
        publishers.append(source.publish(f"/r/{number}"))
        net.run(0.003)
    net.run_until(lambda: all(source.reaches(each) for each in publishers))
    for number, each in enumerate(publishers):
        source.write(each, b"%d" % number)
    net.run_until(lambda: len(late.received) == 220)
    assert late.received == {f"/r/{number}": [b"%d" % number] for number in range(220)}
