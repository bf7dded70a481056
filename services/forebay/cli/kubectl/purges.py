"""The services that have entries on Spills, and the Jobs that delete those of services that are gone."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forebay.cli.kubectl.cluster import PLURALS
from forebay.cli.kubectl.objects import INSTANCE, MANAGED, TRUE, Object, Resource
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table

PURGES = f"{MANAGED},app.kubernetes.io/name=purge"
USED = ("Spill", "Outfeed", "Announcer", "Router", "ConduitNode")
"""Spills, and the kinds of services that use them."""
IN_USE = "in use"


class User(NamedTuple):
    """A service that has entries on a Spill."""

    namespace: str
    spill: str
    kind: str
    name: str
    uid: str
    state: str
    """`in use`, or how far its purge is."""
    next_step: str = ""
    """Where more is told; empty where nothing is wrong."""


def show_purges(kubectl: Kubectl, output: Output) -> None:
    """Print the services of all Spills. Raises `KubectlError`."""
    resources = [Resource(body) for body in kubectl.items(",".join(map(PLURALS.__getitem__, USED)))]
    jobs = [Object(body) for body in kubectl.items("jobs.batch", f"--selector={PURGES}")]
    found = [*users(resources, jobs)]
    if output is Output.JSON:
        print_json([user._asdict() for user in found])
        return
    columns = ("namespace", "spill", "service", "uid", "state", "next")
    rows = [(each.namespace, each.spill, f"{each.kind}/{each.name}", *each[4:]) for each in found]
    print_table("" if rows else "No Spill here has entries of a service.", columns if rows else (), rows)


def users(resources: Sequence[Resource], jobs: Sequence[Object]) -> Iterator[User]:
    """All services that have entries on Spills."""
    living = {each.uid for each in resources}
    for spill in resources:
        for service in spill.status.get("services") or () if spill.kind == "Spill" else ():
            kind, name, uid = service["kind"], service["name"], service["uid"]
            told = (IN_USE, "") if uid in living else purge_state(spill, uid, jobs)
            yield User(spill.namespace, spill.name, kind, name, uid, *told)


def purge_state(spill: Resource, uid: str, jobs: Sequence[Object]) -> tuple[str, str]:
    """How far the purge of a service that is gone is, and where more is told."""
    for job in jobs:
        place = job.namespace, job.labels.get(INSTANCE)
        if place == (spill.namespace, spill.name) and job.name.startswith(f"purge-{uid}-"):
            return job_state(job)
    return "gone, no purge yet", f"kubectl describe spill {spill.name} -n {spill.namespace}"


def job_state(job: Object) -> tuple[str, str]:
    """How far a Job is, and where more is told."""
    ended = {name for name, condition in job.conditions.items() if condition.status == TRUE}
    logs = f"kubectl logs job/{job.name} -n {job.namespace}"
    if "Complete" in ended:
        return "gone, purged", ""
    if "Failed" in ended:
        return f"gone, purge failed: {job.conditions['Failed'].message}", logs
    return "gone, being purged", logs
