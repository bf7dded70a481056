"""What an announcer says that it does without."""

from types import SimpleNamespace

from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.service import degradations
from forebay.api import read_objects
from forwardings import spec
from manifests import announcer, spill


def found(tracker, **given):
    (reading, _) = read_objects([announcer(**given), spill()])
    return [(each.reason, each.kind, each.name, each.message) for each in degradations(tracker, reading.resource)]


async def test_nothing_as_a_rule(make_tracker):
    assert found(make_tracker(spec("one"))) == []


async def test_disabled_forwarders_with_their_reasons_and_suspended_ones_not(make_tracker):
    tracker = make_tracker(spec("one"), spec("two"))
    tracker.dispatcher.forwarders.get("one").disable(Cause.REJECTED, "HTTP 404")
    tracker.dispatcher.forwarders.get("two").suspend(9999.0, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    message = "it gets no announces (HTTP 404): mend it, then enable it or change its spec"
    assert found(tracker) == [("ForwarderDisabled", "Forwarder", "one", message)]


async def test_a_spill_that_is_away(make_tracker):
    tracker = make_tracker()
    ((reason, kind, name, _),) = found(tracker, spillRef={"name": "main"})
    assert (reason, kind, name) == ("SpillUnavailable", "Spill", "main")
    tracker.jobs = SimpleNamespace(problem="refused", spilled=0)
    ((reason, *_, message),) = found(tracker, spillRef={"name": "main"})
    assert (reason, message) == (
        "SpillUnavailable",
        "jobs cannot be kept in Redis (refused); a restart would forget those that wait",
    )


async def test_a_port_that_is_taken(make_tracker):
    tracker = make_tracker()
    tracker.listeners.problems = {"http": "cannot listen on [::]:80; free it, or choose another"}
    message = "cannot listen on [::]:80; free it, or choose another; it is tried again by itself"
    assert found(tracker) == [("NotListening", "", "", message)]


async def test_a_disk_that_cannot_be_written(make_tracker):
    tracker = make_tracker()
    tracker.blocked.problem, tracker.swarms.problem = "no room for forwarders", "no room for swarms"
    assert [(reason, message) for reason, *_, message in found(tracker)] == [
        ("SnapshotFailed", "no room for forwarders; a restart would try them again"),
        ("SnapshotFailed", "no room for swarms; a restart would forget peers"),
    ]
