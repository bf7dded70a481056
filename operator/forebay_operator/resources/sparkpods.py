"""The pods of a run of a Compaction: what all of them see, and what holds them to the restricted standard."""

from typing import Any

from forebay.api.v1alpha1 import Job, Outfeed, Spill
from forebay.api.v1alpha1.compaction import OUTFEED_DATA
from forebay_operator.body import Body
from forebay_operator.resources.body import given
from forebay_operator.resources.labels import labels, selector
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.podspec import CONTAINER_SECURITY, Volume, mount, place, pod_security
from forebay_operator.resources.purge import server
from forebay_operator.resources.sparkrun import ROLE, RUN, SparkRun
from forebay_operator.resources.workload import VOLUME, claim
from forebay_operator.settings import Settings

COMPONENT = "app.kubernetes.io/component"
DRIVER, EXECUTOR = "driver", "executor"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
LOCAL = "/var/data"
"""Where Spark keeps what it shuffles. It takes volumes for it whose names begin so."""
SCRATCH = (("tmp", "/tmp"), ("spark-local-dir-1", LOCAL))  # noqa: S108 the pod's alone
"""What can be written to beside volumes of claims, and is gone with the pod."""


def pod_template(run: SparkRun, component: str, settings: Settings, container: Body, **more: Any) -> Body:
    """The template of the pods of one part of a run; `container` has what is its own of its one container.

    The name of that container is what Spark expects.
    """
    claims = volumes_of(run)
    secrets = server(run.target)[1] if isinstance(run.target, Spill) else ()
    scratch = [{"name": name, "mountPath": path} for name, path in SCRATCH]
    return {
        "metadata": {"labels": {**labels(run.compaction, ROLE), RUN: run.name, COMPONENT: component}},
        "spec": {
            "containers": [
                {
                    **container,
                    "volumeMounts": [*(mount(volume) for volume in secrets), *(own[1] for own in claims), *scratch],
                    "securityContext": CONTAINER_SECURITY,
                    # Of a job that could not write its figures the end of its log is kept.
                    "terminationMessagePolicy": "FallbackToLogsOnError",
                }
            ],
            "volumes": [
                *({"name": volume.name, **volume.source} for volume in secrets),
                *(own[0] for own in claims),
                *({"name": name, "emptyDir": {}} for name, _ in SCRATCH),
            ],
            "securityContext": pod_security(),
            "enableServiceLinks": False,
            **placement(run, settings),
            **more,
        },
    }


def volumes_of(run: SparkRun) -> list[tuple[Body, Body]]:
    """The claims that pods see, each as a volume and as a mount."""
    wanted = [(each.claim, each.path, each.read_only) for each in run.compaction.spec.volumes]
    if isinstance(run.target, Outfeed):
        only_reads = run.compaction.spec.job is Job.VERIFY_MESSAGES
        wanted.insert(0, (claim(ServiceNames.of(run.target).main, 0), OUTFEED_DATA, only_reads))
    found = []
    for number, (name, path, read_only) in enumerate(wanted):
        volume = Volume(f"{VOLUME}-{number}", path)
        source = {"name": volume.name, "persistentVolumeClaim": {"claimName": name}}
        found.append((source, {**mount(volume), **given(readOnly=read_only)}))
    return found


def placement(run: SparkRun, settings: Settings) -> Body:
    """Where pods run: as the settings say and, if they see the volume of an Outfeed, on its node.

    Such a volume may be one that a single node at a time can have.
    """
    wanted = place(settings.spark)
    if not isinstance(run.target, Outfeed):
        return wanted
    beside = {
        "labelSelector": {"matchLabels": selector(run.target, ServiceNames.of(run.target).role)},
        "topologyKey": "kubernetes.io/hostname",
    }
    affinity = settings.spark.affinity
    pods = affinity.get("podAffinity", {})
    required = [*pods.get(REQUIRED, ()), beside]
    return {**wanted, "affinity": {**affinity, "podAffinity": {**pods, REQUIRED: required}}}
