import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.processes import Processes
from forebay.runtime import InvalidArgumentError, ResourceExhaustedError
from unit.router.switches import make_switch, parcel


@pytest.fixture
def switch():
    return make_switch(heartbeat=1.0, most_processes=3)


@pytest.fixture
def processes(switch):
    return Processes(switch)


def attach(processes, name="p", incarnation=1, principals=(), threads=()):
    attachment = processes.attach(pb.Hello(process=name, incarnation=incarnation), principals)
    attachment.handle(pb.AttachRequest(births=[pb.Birth(name=each, incarnation=5) for each in threads]))
    return attachment


def tick(processes, times=1, seconds=1.0):
    for _ in range(times):
        processes._switch.clock.advance(seconds)
        processes.tick()


def test_a_process_that_is_silent_for_three_heartbeats_has_crashed(switch, processes):
    silent, other = attach(processes, threads=["b"]), attach(processes, "q", 2)
    for _ in range(3):
        tick(processes)
        other.handle(pb.AttachRequest())
    assert not silent.over
    tick(processes)
    assert silent.over
    assert not other.over
    [obituary] = other.take().freight.obituaries
    assert (obituary.process, list(obituary.threads), obituary.reason) == ("p", ["b@x"], "no heartbeat")
    assert len(switch.registry) == 0


def test_when_the_router_itself_was_held_up_nobody_has_crashed(processes):
    attachment = attach(processes)
    tick(processes, seconds=60.0)
    assert not attachment.over
    tick(processes, 3)
    assert attachment.over


def test_signs_of_life_are_given_when_nothing_else_is_written(processes):
    attachment = attach(processes)
    tick(processes)
    assert attachment.take() is None
    tick(processes)
    response = attachment.take()
    assert not response.HasField("freight") or not response.freight.ByteSize()
    attachment.register("b", 1, pb.REGISTRATION_STATE_REGISTERED)
    attachment.take()
    tick(processes)
    assert attachment.take() is None


def test_a_process_that_attaches_again_gets_what_waits_for_it(switch, processes):
    former = attach(processes, threads=["b"])
    switch.parcels([parcel()], None)
    latest = attach(processes)
    assert former.over
    assert len(latest.take().freight.parcels) == 1
    assert len(switch.registry) == 0
    processes.detach(former)
    latest.handle(pb.AttachRequest(births=[pb.Birth(name="b", incarnation=5)]))
    assert len(switch.registry) == 1
    assert switch.alarms.raised() == []


def test_another_principal_cannot_take_the_place_of_a_process(processes):
    former = attach(processes, principals=["one"])
    attach(processes, principals=["two"])
    assert not former.over


def test_there_are_no_more_processes_than_may_be(processes):
    attached = [attach(processes, incarnation=number) for number in range(3)]
    with pytest.raises(ResourceExhaustedError, match="3 processes are attached"):
        attach(processes, incarnation=9)
    processes.detach(attached[0])
    attach(processes, incarnation=9)
    assert len(processes) == len(list(processes)) == 3


def test_a_process_has_a_name(processes):
    with pytest.raises(InvalidArgumentError, match="is no name of a process"):
        attach(processes, name="")


def test_a_thread_that_moves_here_keeps_its_name(switch, processes):
    attach(processes, threads=["b"])
    moved = attach(processes, "q", 2, threads=["b"])
    assert switch.registry.entries["b"].outlet is moved.outlet


def test_a_thread_that_is_evicted_is_told(switch, processes):
    attachment = attach(processes, threads=["b"])
    attachment.take()
    attachment.evict("b", "an older one is at another router")
    [registration] = attachment.take().registrations
    assert (registration.name, registration.incarnation, registration.state) == ("b", 5, pb.REGISTRATION_STATE_TAKEN)
    assert len(switch.registry) == 0


def test_an_alarm_without_a_thread_is_the_process_own(switch, processes):
    attachment = attach(processes, threads=["b"])
    alarms = [pb.Alarm(name="n", on=True, origin=origin) for origin in ("b@x", "z@x")]
    attachment.handle(pb.AttachRequest(alarms=alarms))
    assert [alarm.origin for alarm in switch.alarms.raised()] == ["b@x", "p@x"]


def test_deaths_and_leaving_end_threads(switch, processes):
    attachment = attach(processes, threads=["b", "c"])
    attachment.handle(pb.AttachRequest(deaths=["b", "z"]))
    assert list(switch.registry.entries) == ["c"]
    attachment.handle(pb.AttachRequest(leaving=True))
    assert attachment.left
    assert len(switch.registry) == 0
    attachment.lost("link closed")
    assert switch.alarms.raised() == []


def test_a_process_joins_only_so_many_groups_and_none_without_a_name():
    switch = make_switch(most_groups=2)
    attachment = attach(Processes(switch), threads=["b"])

    def tell(*groups, leave=False):
        memberships = [pb.Membership(thread="b", group=group, leave=leave) for group in groups]
        attachment.handle(pb.AttachRequest(memberships=memberships))

    tell("g", "skal-trace", "h", "i")
    assert sorted(switch.groups.here()) == ["g", "h"]
    assert [alarm.name for alarm in switch.alarms.raised()] == ["skal-protocol-bad-group"]
    tell("g", leave=True)
    tell("i")
    assert sorted(switch.groups.here()) == ["h", "i"]
    attachment.handle(pb.AttachRequest(deaths=["b"], births=[]))
    attachment.handle(pb.AttachRequest(births=[pb.Birth(name="b", incarnation=6)]))
    tell("g", "h")
    assert sorted(switch.groups.here()) == ["g", "h"]


def test_alarms_have_names_and_short_comments(switch, processes):
    attachment = attach(processes, threads=["b"])
    alarms = [pb.Alarm(name=name, on=True, origin="b@x", comment="x" * 2000) for name in ("", "n", "n" * 256)]
    attachment.handle(pb.AttachRequest(alarms=alarms))
    [alarm] = switch.alarms.raised()
    assert (alarm.name, len(alarm.comment)) == ("n", 1000)
