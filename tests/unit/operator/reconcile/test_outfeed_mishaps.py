from base64 import b64encode

import pytest

from forebay_operator.errors import ConflictError, EndingError, ForbiddenError, PendingError, ReconcileError
from forebay_operator.kube.kinds import (
    OUTFEED,
    PEERFEED,
    POD,
    SECRET,
    SERVICE,
    SPILL,
)
from operatorworld import HUB, auth, outfeed, peerfeed, secret, spill, stored


async def test_killed_between_the_secret_and_the_pods_the_next_pass_goes_on(running):
    running.service().reachable = False
    running.apply(peerfeed("third"))
    await running.settle()
    assert running.service().peers() == {"east", "west"}
    running.restart()
    running.service().reachable = True
    await running.settle()
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_configuration_that_somebody_else_wrote_meanwhile_is_read_again(running):
    running.apply(peerfeed("third"))
    running.kube.fail("patch", SECRET)
    with pytest.raises(ConflictError):
        await running.settle()
    await running.settle()
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_failed_list_writes_no_configuration(running):
    before = stored(running)
    running.kube.fail("list", PEERFEED, ForbiddenError, 403)
    running.apply(outfeed(storage={"size": "30GiB"}))
    with pytest.raises(ForbiddenError):
        await running.settle()
    assert stored(running) == before


async def test_a_foreign_object_of_a_name_that_is_needed_stays_untouched(world):
    foreign = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hub-outfeed", "namespace": "news"}}
    world.kube.put({**foreign, "spec": {"ports": []}})
    world.apply(spill(), outfeed())
    await world.settle()
    assert world.ready(OUTFEED, "hub") == ("False", "NameTaken")
    assert world.kube.get(SERVICE, "hub-outfeed")["spec"] == {"ports": []}


async def test_what_another_operator_stored_during_a_pass_is_not_overwritten(running):
    """As when this one stood still after it had read the peers."""
    find = running.kube.find
    secret = running.kube.get(SECRET, "hub-outfeed-config")

    async def stand_still(kind, namespace, name):
        found = await find(kind, namespace, name)
        if kind is OUTFEED:
            running.kube.find = find
            running.kube.put({**secret, "data": {**secret["data"], "revision": "OTk="}})
        return found

    running.kube.find = stand_still
    running.apply(peerfeed("third"))
    with pytest.raises(ConflictError):
        await running.settle()
    assert stored(running)[0] == 99
    await running.settle()
    assert stored(running) == (100, {"east", "west", "third"})


@pytest.mark.parametrize("content", ["", "0", "x", "9" * 40, "-1"], ids=repr)
async def test_a_revision_that_is_none_is_made_one_though_no_pod_tells_any(running, content):
    """Or a pod would start with nothing, and never get anything."""
    body = running.kube.get(SECRET, "hub-outfeed-config")
    body["data"]["revision"] = b64encode(content.encode()).decode()
    running.pods.services.clear()
    await running.verify()
    assert stored(running)[0] > 0
    assert running.service().peers() == {"east", "west"}


async def test_a_peerfeed_that_does_not_tell_whose_it_is_keeps_any_configuration_from_being_written(running):
    """As when its definition was replaced by one of another version: the peers may be there all the same."""
    before = stored(running)
    body = running.kube.get(PEERFEED, "east")
    del body["spec"]["outfeedRef"]
    running.told(body)
    running.apply(outfeed(storage={"size": "30GiB"}))
    with pytest.raises(ReconcileError, match="Peerfeed east has no spec"):
        await running.settle()
    assert stored(running) == before


async def test_a_field_of_a_newer_version_holds_nothing_up(running):
    running.apply(outfeed(ofANewerVersion=True))
    running.apply(peerfeed("third"))
    await running.settle()
    assert running.ready(OUTFEED, "hub")[0] == "True"
    assert running.service().peers() == {"east", "west", "third"}


async def test_made_anew_before_what_the_former_had_is_gone_it_waits_without_a_word(running):
    before = running.kube.get(OUTFEED, "hub")
    running.kube.remove(OUTFEED.kind, "news", "hub")
    running.apply(outfeed())
    for _ in range(2):
        with pytest.raises(PendingError):
            await running.settle()
    assert "NameTaken" not in {reason for _, reason in running.kube.events()}
    running.collect(before["metadata"]["uid"])
    await running.settle()
    assert running.ready(OUTFEED, "hub")[0] == "True"
    assert running.service().peers() == {"east", "west"}


@pytest.mark.parametrize(
    ("name", "uid"), [("debug-hub-outfeed-0", None), ("hub-outfeed-x", None), ("hub-outfeed-0", "of a namesake")]
)
async def test_a_pod_that_only_looks_like_one_of_ours_is_not_called(running, name, uid):
    pod = running.kube.get(POD, "hub-outfeed-0")
    labels = pod["metadata"]["labels"] | ({"forebay.dev/uid": uid} if uid else {})
    running.kube.remove(POD.kind, "news", "hub-outfeed-0")
    running.kube.put({**pod, "metadata": {**pod["metadata"], "name": name, "labels": labels}})
    running.run_pods = lambda: None
    await running.verify()
    assert running.reconciler.outfeeds.scenes[HUB].clients == []


async def test_in_a_namespace_that_is_being_deleted_nothing_is_said_or_tried_again(running):
    await running.verify()
    running.kube.writes.clear()
    running.kube.remove(SECRET.kind, "news", "hub-outfeed-client-kubectl")
    running.kube.fail("create", SECRET, EndingError, 403)
    await running.verify()
    assert running.outcomes[HUB] == "ok"
    assert [write for write in running.kube.writes if "Event" in write or "Outfeed" in write] == []


async def test_of_what_is_gone_nothing_is_kept(running):
    running.kube.put(secret("login", password=""))
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    for kind, name in ((PEERFEED, "east"), (PEERFEED, "west"), (OUTFEED, "hub"), (SPILL, "main")):
        running.delete(kind, name)
    await running.settle()
    world = running.world
    assert world.known == set()
    assert running.reconciler.outfeeds.scenes == running.reconciler.spills.scenes == {}
    assert world.objects._applied == world.secrets._texts == world.dependents._needs == {}
