import pytest

from forebay.cli.kubectl.objects import Object
from forebay.cli.kubectl.purges import users

from .bodies import condition, metadata, outfeed, resource

GONE = {"kind": "Outfeed", "name": "old", "uid": "uid-of-old"}


def job(*conditions, name="purge-uid-of-old-1234", spill="main", namespace="news"):
    labels = {"app.kubernetes.io/instance": spill}
    return Object(
        {"kind": "Job", "metadata": metadata(name, namespace, labels=labels), "status": {"conditions": conditions}}
    )


def states(*jobs, services=(GONE,)):
    spill = resource("Spill", "main", condition("Ready"), services=list(services))
    return [(each.name, each.state, each.next_step) for each in users([spill, outfeed()], jobs)]


def test_a_service_that_is_there_uses_the_spill():
    hub = {"kind": "Outfeed", "name": "hub", "uid": "uid-of-hub"}
    assert states(services=[hub]) == [("hub", "in use", "")]


def test_a_namesake_of_a_service_that_is_gone_is_another():
    reborn = {"kind": "Outfeed", "name": "hub", "uid": "an older one"}
    assert states(services=[reborn]) == [("hub", "gone, no purge yet", "kubectl describe spill main -n news")]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(job(spill="other"), id="of another spill"),
        pytest.param(job(namespace="elsewhere"), id="of another namespace"),
        pytest.param(job(name="purge-uid-of-older-1234"), id="of another service"),
    ],
)
def test_other_jobs_do_not_count(other):
    assert states(other)[0][1] == "gone, no purge yet"


@pytest.mark.parametrize(
    ("conditions", "state", "step"),
    [
        pytest.param([], "gone, being purged", "kubectl logs job/purge-uid-of-old-1234 -n news", id="running"),
        pytest.param([condition("Complete")], "gone, purged", "", id="done"),
        pytest.param(
            [condition("Failed", message="too many tries")],
            "gone, purge failed: too many tries",
            "kubectl logs job/purge-uid-of-old-1234 -n news",
            id="failed",
        ),
    ],
)
def test_the_job_tells_how_far_the_purge_is(conditions, state, step):
    assert states(job(*conditions)) == [("old", state, step)]
