import pytest

from forebay_operator.errors import ForbiddenError
from forebay_operator.kube.kinds import ANNOUNCER, JOB, OUTFEED, POD, SECRET, SPILL, STATEFUL_SET
from forebay_operator.queue import Depth
from forebay_operator.reconcile.secretstore import octets_of
from operatorworld import HUB, MAIN, OperatorWorld, announcer, outfeed, spill


@pytest.fixture
def world():
    return OperatorWorld()


@pytest.fixture
async def managed(world):
    """A managed Spill with an Outfeed that uses it."""
    world.apply(spill(managed={"storage": "2GiB"}), outfeed())
    await world.settle()
    await world.verify()
    return world


@pytest.fixture
async def left(managed):
    """The Outfeed is gone; its Job has been made."""
    managed.delete(OUTFEED, "hub")
    await managed.settle()
    return managed


def services(world):
    return [service["name"] for service in world.kube.get(SPILL, "main")["status"]["services"]]


def jobs(world):
    return [name for kind, _, name in world.kube.objects if kind == JOB.kind]


async def test_a_managed_one_runs_and_is_used(managed):
    assert managed.ready(SPILL, "main")[0] == "True"
    assert managed.ready(OUTFEED, "hub")[0] == "True"
    assert services(managed) == ["hub"]


async def test_its_password_stays(managed):
    before = octets_of(managed.kube.get(SECRET, "main-valkey"))
    managed.restart()
    await managed.settle()
    assert octets_of(managed.kube.get(SECRET, "main-valkey")) == before


async def test_another_password_rolls_the_server(managed):
    def annotations():
        return managed.kube.get(STATEFUL_SET, "main-valkey")["spec"]["template"]["metadata"]["annotations"]

    before = annotations()
    managed.kube.remove(SECRET.kind, "news", "main-valkey")
    await managed.verify()
    assert annotations() != before


@pytest.mark.parametrize("damage", ["/w==", ""], ids=["no text", "empty"])
async def test_a_password_that_is_none_is_replaced(managed, damage):
    managed.kube.get(SECRET, "main-valkey")["data"]["password"] = damage
    await managed.verify()
    data = octets_of(managed.kube.get(SECRET, "main-valkey"))
    assert len(data["password"]) > 30
    assert data["password"].decode() in data["url"].decode()


async def test_no_password_is_in_anything_but_secrets(managed):
    password = octets_of(managed.kube.get(SECRET, "main-valkey"))["password"].decode()
    others = {key: body for key, body in managed.kube.objects.items() if key[0] != SECRET.kind}
    assert password not in str(others)


async def test_killed_before_the_server_was_made_the_next_pass_makes_it(world):
    world.apply(spill(managed={}), outfeed())
    while not world.kube.objects.get(("Secret", "news", "main-valkey")):
        world.clock.advance(world.queue.wait())
        await world.reconcile(*world.queue.take())
    world.kube.remove(STATEFUL_SET.kind, "news", "main-valkey")
    world.restart()
    await world.settle()
    await world.verify()
    assert world.ready(SPILL, "main")[0] == "True"


async def test_nothing_is_purged_while_a_pod_of_the_service_still_runs(managed):
    pod = managed.kube.objects[POD.kind, "news", "hub-outfeed-0"]
    managed.delete(OUTFEED, "hub")
    managed.kube.objects[POD.kind, "news", "hub-outfeed-0"] = pod
    for _ in range(10):
        managed.clock.advance(managed.queue.wait())
        await managed.reconcile(*managed.queue.take())
    assert jobs(managed) == []
    managed.kube.remove(POD.kind, "news", "hub-outfeed-0")
    await managed.settle()
    assert len(jobs(managed)) == 1


async def test_what_a_deleted_service_left_is_purged(left):
    (job,) = jobs(left)
    assert services(left) == ["hub"]
    left.kube.get(JOB, job)["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    left.told(left.kube.get(JOB, job))
    await left.settle()
    assert services(left) == []


async def test_a_job_that_failed_is_made_again_once_it_was_cleaned_up(left):
    (job,) = jobs(left)
    left.kube.get(JOB, job)["status"] = {"conditions": [{"type": "Failed", "status": "True"}]}
    await left.verify()
    assert services(left) == ["hub"]
    left.kube.remove(JOB.kind, "news", job)
    await left.verify()
    assert jobs(left) == [job]


async def test_a_namesake_of_a_deleted_service_is_another(left):
    left.apply(outfeed())
    await left.settle()
    assert services(left) == ["hub", "hub"]
    assert left.ready(OUTFEED, "hub")[0] == "True"


async def test_a_deleted_spill_takes_nothing_else_down(managed):
    managed.delete(SPILL, "main")
    await managed.settle()
    assert MAIN not in managed.known
    assert HUB in managed.known
    assert managed.ready(OUTFEED, "hub") == ("False", "SpillMissing")


async def test_a_paused_one_is_left_alone(managed):
    managed.annotate(SPILL, "main", **{"forebay.dev/paused": "true"})
    await managed.settle()
    managed.kube.remove(STATEFUL_SET.kind, "news", "main-valkey")
    await managed.verify()
    assert managed.condition(SPILL, "main", "Paused")[0] == "True"
    assert (STATEFUL_SET.kind, "news", "main-valkey") not in managed.kube.objects


async def test_one_whose_secret_is_missing_says_so_until_it_is_there(world):
    world.apply(spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}}), outfeed())
    await world.settle()
    assert world.ready(SPILL, "main") == ("False", "SecretMissing")
    metadata = {"name": "redis", "namespace": "news"}
    data = {"url": "cmVkaXM6Ly9yZWRpcy5leGFtcGxlOjYzNzkvMA=="}
    world.kube.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data})
    await world.verify()
    assert world.ready(SPILL, "main")[1] != "SecretMissing"
    assert world.ready(OUTFEED, "hub")[0] == "True"


def forbid(world, kind):
    world.kube.fail("list", kind, ForbiddenError, 403)


async def test_an_older_chart_gives_no_right_to_announcers_and_the_spill_is_used_all_the_same(managed):
    forbid(managed, ANNOUNCER)
    managed.queue.put(MAIN, Depth.VERIFY)
    await managed.settle()
    assert managed.ready(SPILL, "main")[0] == "True"
    assert services(managed) == ["hub"]


async def test_an_announcer_that_is_known_is_not_taken_for_gone_when_nobody_may_look(managed):
    managed.apply(announcer(spillRef={"name": "main"}))
    await managed.settle()
    forbid(managed, ANNOUNCER)
    managed.queue.put(MAIN, Depth.VERIFY)
    with pytest.raises(ForbiddenError):
        await managed.settle()
    assert len(services(managed)) == 2
    assert jobs(managed) == []
