"""What a Compaction needs to start a run: its target, an image, and something that runs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forebay.api.v1alpha1 import Compaction, Engine, Outfeed, Spill, TargetKind
from forebay_operator.errors import MissingError, ReconcileError
from forebay_operator.kube import KubeClient
from forebay_operator.kube.kinds import OUTFEED, SPILL
from forebay_operator.reconcile.gate import modelled
from forebay_operator.settings import Settings


@dataclass(frozen=True)
class Target:
    """What a run works on."""

    resource: Spill | Outfeed
    services: Sequence[Mapping[str, str]] = ()
    """Those that use it, if it is a Spill."""


async def find_target(kube: KubeClient, compaction: Compaction) -> Target:
    """The target of a Compaction. Raises `ReconcileError` where there is none, or nothing on it."""
    wanted, namespace = compaction.spec.target_ref, compaction.metadata.namespace
    kind = SPILL if wanted.kind is TargetKind.SPILL else OUTFEED
    body = await kube.find(kind, namespace, wanted.name)
    if body is None:
        raise MissingError(
            "TargetMissing", f"there is no {wanted.kind} {wanted.name}; apply one, or correct spec.targetRef"
        )
    if kind is OUTFEED:
        return Target(modelled(body, Outfeed))
    services = body.get("status", {}).get("services", [])
    if not services:
        raise ReconcileError("TargetUnused", f"no service uses the Spill {wanted.name} yet; runs start when one does")
    return Target(modelled(body, Spill), services)


def check_engine(compaction: Compaction, settings: Settings, *, has_spark_operator: bool) -> None:
    """Raise `ReconcileError` where nothing could run a Compaction."""
    spec = compaction.spec
    if not spec.image and settings.spark.image is None:
        raise ReconcileError("SparkImageMissing", "no image is named; set spark.image of the chart, or spec.image")
    if spec.engine is Engine.SPARK_APPLICATION and not has_spark_operator:
        remedy = "install kubeflow's Spark operator, or set spec.engine to Job"
        raise ReconcileError("SparkOperatorMissing", f"the cluster does not know SparkApplications; {remedy}")
