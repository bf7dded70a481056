"""Compactions on a real API server, which knows SparkApplications by the models of kubeflow-spark-api.

No Spark operator runs here: what it would tell is written by the tests. Pods of Jobs are run by the stand-in for the
node, where there is no Spark: they fail.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import sparkcrd
from apiserver import ApiServer
from compactionobjects import spark_run, spark_settings
from eventually import eventually
from forebay_operator.resources import spark_application
from integration.operator.conftest import MakeSite, site_of
from kubeaccess import KubectlError
from kubeclient import Body, KubeError
from operatorsite import Site, resource

FIGURES = {"entriesIn": 9, "bytesIn": 612, "dropped": {"duplicate": 3}, "seconds": 1.5}
ONCE = {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}}
GONE_SECONDS = 60


@pytest.fixture
async def site(apiserver: ApiServer, tmp_path: Path) -> AsyncIterator[Site]:
    """A site without a node: nothing runs."""
    async with site_of(apiserver, tmp_path, None) as site:
        await site.apply(resource("Spill", "main", url="redis://redis.example"))
        await site.apply(resource("Outfeed", "hub", spillRef={"name": "main"}))
        yield site


@pytest.fixture
async def spark(apiserver: ApiServer) -> None:
    """The API server knows SparkApplications."""
    await know_spark(apiserver)


async def know_spark(apiserver: ApiServer) -> None:
    definition = json.dumps(sparkcrd.definition())
    apiserver.admin.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=definition)
    await eventually(lambda: apiserver.admin.kubectl("get", sparkcrd.NAME, "-A", "-o", "json"), within=60, every=0.5)


async def run_of(site: Site, kind: str = "SparkApplication", number: int = 0, within: float = 90) -> Body:
    """A run, once it is there, the oldest first."""

    async def found() -> Body:
        bodies = await site.client.list(kind, site.namespace, "app.kubernetes.io/name=compaction")
        assert len(bodies) > number, await status_of(site)
        return sorted(bodies, key=lambda body: body["metadata"]["name"])[number]

    return await eventually(found, within=within, every=0.1)


async def status_of(site: Site) -> Body:
    return dict((await site.client.get("Compaction", site.namespace, "nightly")).get("status", {}))


async def earlier_run(site: Site) -> Body:
    """The run before the last, once the status tells of it."""

    async def found() -> list[Body]:
        return list((await status_of(site)).get("earlierRuns", []))

    return (await eventually(found))[0]


async def tell(site: Site, run: Body, state: str, **status) -> None:
    """Write what a Spark operator would."""
    told = {"status": {"applicationState": {"state": state}, "driverInfo": {}, **status}}
    await site.client.patch("SparkApplication", site.namespace, run["metadata"]["name"], told, "status")


async def until(site: Site, kind: str, status: str, reason: str, within: float = 60) -> None:
    """Wait for a condition."""

    async def check() -> bool:
        found = await site.condition("Compaction", "nightly", kind)
        assert (found["status"], found["reason"]) == (status, reason), found
        return True

    await eventually(check, within=within, every=0.1)


async def end_driver(site: Site, run: Body, message: str, code: int = 0) -> None:
    """A driver that has ended."""
    template = run["spec"]["driver"]["template"]
    name = f"{run['metadata']['name']}-driver"
    container = {**template["spec"]["containers"][0], "image": "spark:1", "command": ["true"]}
    spec = {**template["spec"], "containers": [container], "restartPolicy": "Never"}
    metadata = {"name": name, "labels": template["metadata"]["labels"]}
    await site.client.create("Pod", site.namespace, {"metadata": metadata, "spec": spec})
    ended = {"terminated": {"exitCode": code, "message": message, "reason": "Error" if code else "Completed"}}
    container_status = {"name": container["name"], "image": "spark:1", "imageID": "", "ready": False}
    container_status |= {"restartCount": 0, "state": ended}
    phase = "Failed" if code else "Succeeded"
    told = {"status": {"phase": phase, "containerStatuses": [container_status]}}

    async def is_told() -> bool:
        await site.client.patch("Pod", site.namespace, name, told, "status")
        return bool((await status_of(site))["lastRun"].get("figures"))

    await eventually(is_told, within=60, every=0.5)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("job", ["compact-spill", "verify-messages"])
async def test_a_run_is_strictly_valid_to_the_api_server(site: Site, job: str):
    kind = "Spill" if job == "compact-spill" else "Outfeed"
    name = {"Spill": "main", "Outfeed": "hub"}[kind]
    spec = {"job": job, "targetRef": {"kind": kind, "name": name}}
    await site.apply(resource("Compaction", "nightly", **spec))
    run = await run_of(site)
    place = f"apis/sparkoperator.k8s.io/v1beta2/namespaces/{site.namespace}/sparkapplications"
    again = {**run, "metadata": {"name": "again"}}
    await site.client.call("POST", place, again, dryRun="All", fieldValidation="Strict")
    wrong = {**again, "spec": {**again["spec"], "drivers": {}}}
    with pytest.raises(KubeError, match="drivers"):
        await site.client.call("POST", place, wrong, dryRun="All", fieldValidation="Strict")


@pytest.mark.usefixtures("spark")
async def test_a_run_is_followed_to_its_figures(site: Site):
    await site.apply(resource("Compaction", "nightly", **ONCE))
    run = await run_of(site)
    await tell(site, run, "RUNNING", executionAttempts=1)
    # Well before the slow timer: by the watch.
    await until(site, "Progressing", "True", "Running", within=20)
    await end_driver(site, run, json.dumps({"job": "compact-spill", "figures": FIGURES}))
    await tell(site, run, "COMPLETED", terminationTime="2026-11-28T03:01:00Z")
    await until(site, "Progressing", "False", "Idle")
    last = (await status_of(site))["lastRun"]
    assert (last["state"], last["figures"], last["ended"]) == ("Succeeded", FIGURES, "2026-11-28T03:01:00Z")
    await site.client.delete("SparkApplication", site.namespace, run["metadata"]["name"])
    await site.client.delete("Pod", site.namespace, f"{run['metadata']['name']}-driver", gracePeriodSeconds=0)
    await site.edit("Compaction", "nightly", retries=7)
    await run_of(site)
    assert (await earlier_run(site))["figures"] == FIGURES
    assert site.operator.faults() == []


@pytest.mark.usefixtures("spark")
async def test_what_a_run_did_not_do_stands_beside_its_figures(site: Site):
    await site.apply(resource("Compaction", "nightly", retries=0, **ONCE))
    run = await run_of(site)
    failures = ["east: segments of B were promoted or dropped meanwhile", 'west: "away"']
    said = {"job": "compact-spill", "figures": FIGURES, "failures": failures, "failuresLeft": 3}
    await end_driver(site, run, json.dumps(said), 1)
    await tell(site, run, "FAILED")
    await until(site, "Degraded", "True", "RunFailed")
    last = (await status_of(site))["lastRun"]
    assert (last["figures"], last["failures"], last["failuresLeft"]) == (FIGURES, failures, 3)
    ended = 'forebay_operator_compaction_runs_total{compaction="%s/nightly",state="Failed"} 1.0'
    assert ended % site.namespace in await site.operator.page("/metrics")
    assert site.operator.faults() == []


@pytest.mark.usefixtures("spark")
async def test_a_deleted_compaction_takes_its_runs_with_it(site: Site):
    await site.apply(resource("Compaction", "nightly", **ONCE))
    await run_of(site)
    await site.client.delete("Compaction", site.namespace, "nightly")

    async def gone() -> bool:
        return not await site.client.list("SparkApplication", site.namespace)

    await eventually(gone, within=GONE_SECONDS, every=0.2)


@pytest.mark.usefixtures("spark")
async def test_without_the_operator_all_of_it_goes_too(site: Site):
    await site.apply(resource("Compaction", "nightly", **ONCE))
    body = await run_of(site)
    assert "finalizers" not in body["metadata"]
    compaction = await site.client.get("Compaction", site.namespace, "nightly")
    assert "finalizers" not in compaction["metadata"]
    site.operator.kill()
    await site.client.delete("Compaction", site.namespace, "nightly")

    async def gone() -> bool:
        return not await site.client.list("SparkApplication", site.namespace)

    await eventually(gone, within=GONE_SECONDS, every=0.2)


async def test_a_spark_operator_that_comes_late_is_used_and_followed(apiserver: ApiServer, site: Site):
    apiserver.admin.kubectl("delete", "crd", sparkcrd.NAME, "--ignore-not-found", "--timeout=60s", within=90)
    await site.apply(resource("Compaction", "nightly", **ONCE))
    await until(site, "Ready", "False", "SparkOperatorMissing")
    await know_spark(apiserver)
    run = await run_of(site, within=120)
    # Twice: the first may be found by the slow timer, before the watch is up.
    await tell(site, run, "SUBMITTED")
    await until(site, "Progressing", "True", "RunStarting", within=120)
    await tell(site, run, "RUNNING")
    await until(site, "Progressing", "True", "Running", within=20)
    await until(site, "Ready", "True", "RunsOnce")


async def test_a_failing_job_is_tried_again_and_then_told(make_site: MakeSite):
    site = await make_site()
    await site.apply(resource("Spill", "main", url="redis://redis.example"))
    await site.apply(resource("Outfeed", "hub", spillRef={"name": "main"}))
    await site.apply(resource("Compaction", "nightly", engine="Job", retries=1, **ONCE))
    await until(site, "Degraded", "True", "RunFailed", within=120)
    last = (await status_of(site))["lastRun"]
    assert (last["state"], last["attempts"]) == ("Failed", 2)
    job = await run_of(site, "Job")
    assert job["status"]["failed"] == 2
    await site.edit("Compaction", "nightly", suspend=True)
    await until(site, "Ready", "True", "Suspended")
    await site.client.delete("Compaction", site.namespace, "nightly")

    async def gone() -> bool:
        found = await site.client.list("Pod", site.namespace, "app.kubernetes.io/name=compaction")
        return not found and not await site.client.list("Job", site.namespace, "app.kubernetes.io/name=compaction")

    await eventually(gone, within=GONE_SECONDS, every=0.2)


@pytest.mark.usefixtures("spark")
def test_a_name_that_is_no_label_of_rfc_1035_never_reaches_the_spark_operator(apiserver: ApiServer):
    namespace = apiserver.namespace("compaction")
    wrong = resource("Compaction", "2nd", **ONCE)
    with pytest.raises(KubectlError, match="with a letter first"):
        apiserver.admin.apply(wrong, namespace=namespace)
    assert spark_application(spark_run(), spark_settings())["metadata"]["name"][0].isalpha()


@pytest.mark.usefixtures("spark")
async def test_a_spark_operator_that_goes_takes_nothing_else_with_it(apiserver: ApiServer, site: Site):
    await site.apply(resource("Compaction", "nightly", **ONCE))
    await run_of(site)
    apiserver.admin.kubectl("delete", "crd", sparkcrd.NAME, "--timeout=60s", within=90)
    await site.edit("Compaction", "nightly", retries=7)
    await until(site, "Ready", "False", "SparkOperatorMissing")
    await site.edit("Compaction", "nightly", engine="Job")
    await run_of(site, "Job", within=25)
    assert (await earlier_run(site))["state"] == "Cancelled"
