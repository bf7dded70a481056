from datetime import datetime, timedelta

import pytest

from compactionobjects import ended, pod
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.compactions import State
from forebay_operator.errors import ConflictError, InvalidError, UnavailableError
from forebay_operator.kube.kinds import COMPACTION, EVENT, JOB, POD, SPARK_APPLICATION, SPILL
from forebay_operator.pods import PodView
from forebay_operator.queue import Depth, Key
from operatorworld import HUB, NAMESPACE, OperatorWorld, outfeed, resource, spill

NIGHTLY = Key("Compaction", NAMESPACE, "nightly")
ON_SPILL = {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}}
FIGURES = '{"job": "compact-spill", "figures": {"entriesIn": 9, "dropped": {"duplicate": 3}}}'
DAY = 86_400


class CompactionWorld(OperatorWorld):
    """With a Spill that an Outfeed uses, and a Spark operator that does nothing by itself."""

    def __init__(self, **changes) -> None:
        self.full = 0
        super().__init__(**{"spark": {"image": {"name": "spark:1"}}, **changes})

    def restart(self) -> None:
        super().restart()
        self.reconciler.compactions._size = lambda namespace, name: self.full

    async def begin(self) -> None:
        self.kube.served.add("SparkApplication")
        self.apply(spill(managed={}), outfeed())
        await self.settle()
        await self.verify()
        self.clock.now = 86_400.0
        self.kube.writes.clear()

    def compact(self, **spec) -> None:
        """Apply the Compaction."""
        self.apply(resource("Compaction", "nightly", **{**ON_SPILL, **spec}))

    async def wait(self, seconds: float) -> None:
        """Let time pass, with the looks that the operator takes."""
        while seconds > 0:
            step = min(seconds, 5.0) if seconds < 600 else 300.0
            self.clock.advance(step)
            seconds -= step
            for key in self.reconciler.compactions.scenes:
                self.queue.put(key, Depth.OBSERVE)
            await self.settle()

    def runs(self, kind=SPARK_APPLICATION) -> list[str]:
        return [name for found, _, name in self.kube.objects if found == kind.kind]

    @property
    def status(self):
        return self.kube.get(COMPACTION, "nightly")["status"]

    async def tell(self, name: str, state: str, **status) -> None:
        """The Spark operator tells how far a run is."""
        self.kube.put(
            {**self.kube.get(SPARK_APPLICATION, name), "status": {"applicationState": {"state": state}, **status}}
        )
        await self.settle()

    async def drive(self, name: str, **status) -> None:
        """Tell how the pod of a driver fares."""
        body = pod(name, **status)
        metadata = self.kube.get(SPARK_APPLICATION, name)["metadata"]
        body["metadata"]["labels"] |= metadata["labels"]
        self.kube.put(body)
        await self.settle()

    async def finish(self, state: str = "COMPLETED", message: str = FIGURES, code: int = 0) -> None:
        """The run that is active ends."""
        name = self.status["lastRun"]["name"]
        await self.drive(name, **ended(message, code))
        await self.tell(name, state)

    def told(self, body, deleted: bool = False) -> None:
        super().told(body, deleted)

    def conditions(self) -> dict[str, tuple[str, str]]:
        return {each["type"]: (each["status"], each["reason"]) for each in self.status["conditions"]}

    def events(self) -> list[str]:
        return [reason for name, reason in self.kube.events() if name == "nightly"]


@pytest.fixture
async def world():
    world = CompactionWorld()
    await world.begin()
    return world


async def test_without_a_schedule_it_runs_once(world):
    world.compact()
    await world.settle()
    (name,) = world.runs()
    assert name == "nightly-1-202611280000"
    assert world.status["lastRun"]["state"] == "Pending"
    await world.finish()
    await world.wait(3600)
    assert world.runs() == [name]
    assert world.status["lastRun"]["state"] == "Succeeded"
    assert world.conditions() == {
        "Ready": ("True", "RunsOnce"),
        "Progressing": ("False", "Idle"),
        "Degraded": ("False", "AsExpected"),
    }


async def test_the_figures_of_a_run_are_kept_when_it_is_gone(world):
    world.compact()
    await world.settle()
    await world.finish()
    for kind in (SPARK_APPLICATION, POD):
        for name in world.runs(kind):
            if name.startswith("nightly"):
                world.kube.remove(kind.kind, NAMESPACE, name)
    await world.verify()
    assert world.status["lastRun"]["figures"] == {"entriesIn": 9, "dropped": {"duplicate": 3}}
    assert world.status["lastRun"]["state"] == "Succeeded"


async def test_what_a_run_did_not_do_is_in_the_status_beside_its_figures(world):
    world.compact(retries=0)
    await world.settle()
    said = FIGURES[:-1] + ', "failures": ["east: promoted"], "failuresLeft": 2}'
    await world.finish("FAILED", said, 1)
    last = world.status["lastRun"]
    assert (last["state"], last["figures"]["entriesIn"]) == ("Failed", 9)
    assert (last["failures"], last["failuresLeft"]) == (["east: promoted"], 2)
    assert last["message"] == "exit code 1: east: promoted; and 2 more"


async def test_ends_of_runs_are_counted_once_while_it_is_there(world):
    counts = world.reconciler.compactions.counts
    world.compact()
    await world.settle()
    name = world.status["lastRun"]["name"]
    await world.drive(name, **ended(FIGURES))
    world.kube.fail("patch", COMPACTION)
    await world.tell(name, "COMPLETED")
    await world.verify()
    await world.verify()
    assert counts[NIGHTLY].ended == {State.SUCCEEDED: 1}
    assert counts[NIGHTLY].last_success is not None
    world.delete(COMPACTION, "nightly")
    await world.settle()
    assert NIGHTLY not in counts


async def test_a_change_makes_another_run_and_never_changes_one(world):
    world.compact()
    await world.settle()
    await world.finish()
    world.compact(retries=5)
    await world.settle()
    assert world.runs() == ["nightly-1-202611280000", "nightly-2-202611280000"]
    assert not [write for write in world.kube.writes if write.startswith("patch SparkApplication")]
    assert [each["generation"] for each in (world.status["lastRun"], *world.status["earlierRuns"])] == [2, 1]


async def test_a_schedule_starts_runs_at_its_times(world):
    world.compact(schedule="30 3 * * *", timeZone="Europe/Berlin")
    await world.settle()
    assert (world.runs(), world.status["nextRun"]) == ([], "2026-11-28T02:30:00Z")
    await world.wait(2.5 * 3600 + 10)
    assert world.runs() == ["nightly-1-202611280230"]
    assert world.status["nextRun"] == "2026-11-29T02:30:00Z"
    await world.finish()
    await world.wait(DAY)
    assert world.runs()[1:] == ["nightly-1-202611290230"]


async def test_of_the_times_missed_while_the_operator_was_away_one_run_is_made(world):
    world.compact(schedule="0 * * * *")
    await world.settle()
    world.clock.advance(5 * 3600 + 60)
    world.restart()
    await world.settle()
    assert world.runs() == ["nightly-1-202611280500"]


async def test_a_resource_that_the_operator_has_not_seen_yet_is_on_time_too(world):
    world.compact(schedule="0 * * * *")
    world.clock.advance(2 * 3600)
    await world.settle()
    assert len(world.runs()) == 1


async def test_times_that_pass_while_it_is_suspended_are_left_out(world):
    world.compact(schedule="0 * * * *", suspend=True)
    await world.settle()
    assert world.conditions()["Ready"] == ("True", "Suspended")
    assert "nextRun" not in world.status
    await world.wait(3 * 3600)
    world.compact(schedule="0 * * * *", suspend=False)
    await world.settle()
    assert world.runs() == []
    await world.wait(3600)
    assert len(world.runs()) == 1


async def test_another_schedule_begins_when_it_is_given(world):
    world.compact(schedule="0 1 1 1 *")
    await world.settle()
    await world.wait(5 * 3600)
    world.compact(schedule="0 * * * *")
    await world.settle()
    assert world.runs() == []
    assert world.status["nextRun"] == "2026-11-28T06:00:00Z"


async def test_a_time_that_comes_while_a_run_is_active_is_left_out(world):
    world.compact(schedule="0 * * * *", deadline="2d")
    await world.settle()
    await world.wait(3600)
    await world.tell(world.runs()[0], "RUNNING")
    await world.wait(2 * 3600)
    await world.finish()
    await world.wait(60)
    assert len(world.runs()) == 1
    await world.wait(3600)
    assert len(world.runs()) == 2


async def test_the_next_run_takes_the_place_of_the_active_one_when_its_pods_are_gone(world):
    world.compact(schedule="0 * * * *", concurrency="Replace", deadline="2d")
    await world.settle()
    await world.wait(3600)
    (first,) = world.runs()
    await world.drive(first, phase="Running")
    await world.tell(first, "RUNNING")
    await world.wait(3600)
    assert world.runs() == []
    assert world.status["lastRun"]["state"] == "Cancelled"
    await world.wait(60)
    assert world.runs() == []
    world.kube.remove(POD.kind, NAMESPACE, f"{first}-driver-0")
    await world.settle()
    assert world.runs() == ["nightly-1-202611280200"]
    assert world.status["earlierRuns"][0]["message"] == "the next run took its place"


async def test_a_size_starts_a_run_and_then_not_again_for_a_while(world):
    world.compact(threshold={"size": "100MB", "gap": "1h"})
    await world.settle()
    world.full = 99_999_999
    await world.wait(60)
    assert world.runs() == []
    world.full = 10**9
    await world.wait(10)
    assert len(world.runs()) == 1
    assert world.status["lastRun"]["trigger"] == "Threshold"
    await world.finish()
    await world.wait(3500)
    assert len(world.runs()) == 1
    await world.wait(3600)
    assert len(world.runs()) == 2


async def test_the_size_is_that_of_the_peer_with_most_on_the_same_spill(world):
    def view(*octets):
        peers = [pb.PeerStatus(backlog=pb.Backlog(bytes=each)) for each in octets]
        return PodView("hub-outfeed-0", ready=True, reachable=True, peers=tuple(peers))

    largest = world.reconciler._largest
    assert largest(NAMESPACE, "main") == 0
    world.reconciler.outfeeds.scenes[HUB].views = (view(5, 100), view(70))
    assert largest(NAMESPACE, "main") == 100
    assert largest(NAMESPACE, "other") == 0
    assert largest("elsewhere", "main") == 0


async def test_a_failed_run_is_told_with_its_cause_until_one_goes_well(world):
    world.compact(schedule="0 * * * *")
    await world.settle()
    await world.wait(3600)
    await world.drive(world.runs()[0], **ended("Error: Redis is away", 1))
    await world.tell(world.runs()[0], "FAILING")
    assert world.conditions()["Progressing"] == ("True", "Retrying")
    assert world.conditions()["Degraded"][0] == "False"
    await world.tell(world.runs()[0], "FAILED", executionAttempts=3)
    assert world.conditions()["Degraded"] == ("True", "RunFailed")
    assert "Error: Redis is away" in str(world.status["conditions"])
    assert world.status["lastRun"]["attempts"] == 3
    await world.wait(3600)
    await world.finish()
    assert world.conditions()["Degraded"] == ("False", "AsExpected")
    assert world.events() == ["Scheduled", "RunStarted", "RunFailed", "RunStarted", "AsExpected", "RunSucceeded"]


async def test_nothing_is_written_while_nothing_happens(world):
    world.compact(schedule="0 3 * * *")
    await world.settle()
    world.kube.writes.clear()
    await world.wait(3600)
    await world.verify()
    assert world.kube.writes == []


async def test_without_a_spark_operator_it_says_what_to_do_and_runs_when_one_comes(world):
    world.kube.served.clear()
    world.compact()
    await world.settle()
    assert world.ready(COMPACTION, "nightly") == ("False", "SparkOperatorMissing")
    assert "spec.engine to Job" in str(world.status)
    world.kube.served.add("SparkApplication")
    await world.verify()
    assert len(world.runs()) == 1
    assert world.ready(COMPACTION, "nightly") == ("True", "RunsOnce")


async def test_the_engine_job_needs_no_spark_operator(world):
    world.kube.served.clear()
    world.compact(engine="Job")
    await world.settle()
    assert world.runs(JOB) == ["nightly-1-202611280000"]
    body = world.kube.get(JOB, "nightly-1-202611280000")
    world.kube.put({**body, "status": {"conditions": [{"type": "Complete", "status": "True"}]}})
    await world.settle()
    assert world.status["lastRun"]["state"] == "Succeeded"


async def test_a_run_that_nobody_takes_up_is_told_after_two_minutes(world):
    world.compact()
    await world.settle()
    await world.wait(90)
    assert world.conditions()["Degraded"][0] == "False"
    await world.wait(60)
    assert world.conditions()["Degraded"] == ("True", "NotPickedUp")
    await world.tell(world.runs()[0], "SUBMITTED")
    assert world.conditions()["Degraded"] == ("False", "AsExpected")


async def test_a_submission_that_fails_is_told(world):
    world.compact()
    await world.settle()
    await world.tell(world.runs()[0], "SUBMISSION_FAILED")
    assert world.conditions()["Degraded"] == ("True", "SubmissionFailed")


async def test_a_pod_that_can_not_start_is_told(world):
    world.compact()
    await world.settle()
    (name,) = world.runs()
    waiting = {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}
    await world.drive(
        name, phase="Pending", containerStatuses=[{"name": "spark", "image": "spark:1", "state": waiting}]
    )
    await world.tell(name, "SUBMITTED")
    assert world.conditions()["Degraded"] == ("True", "ImagePullFailed")


async def test_a_run_that_takes_too_long_is_ended_and_told(world):
    world.compact(deadline="1h")
    await world.settle()
    (name,) = world.runs()
    await world.tell(name, "RUNNING")
    await world.wait(3590)
    assert world.runs() == [name]
    await world.wait(80)
    assert world.runs() == []
    assert world.status["lastRun"]["state"] == "DeadlineExceeded"
    assert world.conditions()["Degraded"] == ("True", "DeadlineExceeded")


async def test_what_could_not_be_deleted_is_deleted_later(world):
    world.compact(deadline="1h")
    await world.settle()
    await world.tell(world.runs()[0], "RUNNING")
    await world.wait(3590)
    world.kube.fail("delete", SPARK_APPLICATION, UnavailableError, 0)
    world.clock.advance(120)
    world.queue.put(NIGHTLY, Depth.OBSERVE)
    with pytest.raises(UnavailableError):
        await world.settle()
    await world.settle()
    assert world.runs() == []
    assert world.status["lastRun"]["state"] == "DeadlineExceeded"


async def test_the_newest_runs_stay_and_older_ones_go(world):
    world.compact(schedule="0 * * * *", history={"succeeded": 2, "failed": 1})
    await world.settle()
    for number in range(5):
        await world.wait(3600)
        await world.finish(*(("COMPLETED",) if number % 2 else ("FAILED", "no", 1)))
    assert world.runs() == [f"nightly-1-20261128{hour:02}00" for hour in (2, 4, 5)]
    states = [each["state"] for each in (world.status["lastRun"], *world.status["earlierRuns"])]
    assert states == ["Failed", "Succeeded", "Failed", "Succeeded", "Failed"]


async def test_a_run_deleted_by_hand_was_cancelled_and_is_not_made_again(world):
    world.compact()
    await world.settle()
    (name,) = world.runs()
    await world.tell(name, "RUNNING")
    world.kube.remove(SPARK_APPLICATION.kind, NAMESPACE, name)
    await world.settle()
    await world.wait(60)
    assert world.runs() == []
    assert world.status["lastRun"]["state"] == "Cancelled"


async def test_a_start_that_was_cut_short_is_not_repeated(world):
    world.compact(schedule="0 * * * *")
    await world.settle()
    world.clock.advance(3600)
    world.queue.put(NIGHTLY, Depth.OBSERVE)
    world.kube.fail("patch", COMPACTION, UnavailableError, 0)
    with pytest.raises(UnavailableError):
        await world.settle()
    world.restart()
    await world.settle()
    await world.wait(60)
    assert world.runs() == ["nightly-1-202611280100"]
    assert world.status["lastRun"]["state"] == "Pending"


async def test_a_foreign_object_of_its_name_stays_untouched(world):
    foreign = {"apiVersion": SPARK_APPLICATION.api_version, "kind": "SparkApplication", "spec": {}}
    world.kube.put({**foreign, "metadata": {"name": "nightly-1-202611280000", "namespace": NAMESPACE}})
    world.compact()
    await world.settle()
    assert world.ready(COMPACTION, "nightly") == ("False", "NameTaken")
    assert world.kube.get(SPARK_APPLICATION, "nightly-1-202611280000")["spec"] == {}


async def test_a_refusal_of_the_api_server_is_told_and_the_time_stays_due(world):
    world.compact(schedule="0 * * * *")
    await world.settle()
    world.clock.advance(3600)
    world.queue.put(NIGHTLY, Depth.OBSERVE)
    world.kube.fail("create", SPARK_APPLICATION, InvalidError, 422)
    with pytest.raises(InvalidError):
        await world.settle()
    assert world.ready(COMPACTION, "nightly") == ("False", "ClusterRefused")
    await world.settle()
    assert len(world.runs()) == 1
    assert world.ready(COMPACTION, "nightly") == ("True", "Scheduled")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"targetRef": {"kind": "Spill", "name": "other"}}, "TargetMissing"),
        ({"job": "verify-messages", "targetRef": {"kind": "Outfeed", "name": "other"}}, "TargetMissing"),
        ({"timeZone": "Europe/Atlantis", "schedule": "0 * * * *"}, "Invalid"),
        ({"schedule": "0 0 30 2 *"}, "Invalid"),
        ({"job": "verify-messages"}, "Invalid"),
    ],
)
async def test_what_is_in_the_way_is_told_and_nothing_runs(world, spec, reason):
    world.compact(**spec)
    await world.settle()
    await world.wait(3700)
    assert world.ready(COMPACTION, "nightly") == ("False", reason)
    assert world.runs() == []


async def test_a_target_that_comes_late_is_worked_on(world):
    world.compact(targetRef={"kind": "Spill", "name": "other"})
    await world.settle()
    world.apply(spill("other", url="redis://redis.example"))
    await world.settle()
    assert world.ready(COMPACTION, "nightly") == ("False", "TargetUnused")
    world.apply(resource("Outfeed", "east", spillRef={"name": "other"}))
    await world.settle()
    await world.verify()
    (name,) = world.runs()
    arguments = world.kube.get(SPARK_APPLICATION, name)["spec"]["arguments"]
    assert world.kube.get(SPILL, "other")["status"]["services"][0]["uid"] in arguments


async def test_without_an_image_it_says_what_to_set():
    world = CompactionWorld(spark={})
    await world.begin()
    world.compact()
    await world.settle()
    assert world.ready(COMPACTION, "nightly") == ("False", "SparkImageMissing")
    world.compact(image="mine:1")
    await world.settle()
    assert len(world.runs()) == 1


async def test_in_a_namespace_that_is_not_listed_nothing_runs(world):
    world.apply(resource("Compaction", "nightly", "elsewhere", **ON_SPILL))
    await world.settle()
    body = world.kube.get(COMPACTION, "nightly", "elsewhere")
    assert body["status"]["conditions"][0]["reason"] == "NamespaceNotAllowed"


async def test_a_paused_one_starts_nothing_and_goes_on(world):
    world.compact(schedule="0 * * * *")
    await world.settle()
    world.annotate(COMPACTION, "nightly", **{"forebay.dev/paused": "true"})
    await world.settle()
    await world.wait(7200)
    assert world.runs() == []
    assert world.condition(COMPACTION, "nightly", "Paused")[0] == "True"
    world.annotate(COMPACTION, "nightly", **{"forebay.dev/paused": "false"})
    await world.settle()
    assert len(world.runs()) == 1


async def test_a_deleted_one_is_forgotten(world):
    world.compact()
    await world.settle()
    world.delete(COMPACTION, "nightly")
    await world.settle()
    await world.wait(60)
    assert world.runs() == []
    assert NIGHTLY not in world.known
    assert not world.reconciler.compactions.scenes


async def test_a_status_that_somebody_changed_meanwhile_is_written_the_next_time(world):
    world.kube.fail("patch", COMPACTION, ConflictError)
    world.compact()
    await world.settle()
    await world.verify()
    assert world.status["lastRun"]["state"] == "Pending"
    assert len(world.runs()) == 1
    assert timedelta(0) <= world.now() - datetime.fromisoformat(world.status["lastRun"]["created"])
    assert EVENT.kind in {kind for kind, _, _ in world.kube.objects}
