"""The Job that deletes what a service that is gone has left on a Spill."""

from typing import Any

from forebay.api.v1alpha1 import Spill
from forebay_operator.body import Body
from forebay_operator.resources.names import SpillNames
from forebay_operator.resources.ownership import owned
from forebay_operator.resources.podspec import Process, Volume, pod_template, secret_volume
from forebay_operator.settings import Settings
from forebay_operator.valkeysecret import URL

ROLE = "purge"
SECRET = "/etc/forebay/spill"  # noqa: S105 a folder
RESOURCES = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}
TRIES = 5
LONGEST_SECONDS = 900
KEPT_SECONDS = 600
"""How long a Job that ended stays to be looked at. One that failed is made again then."""


def purge_job(spill: Spill, kind: str, uid: str, settings: Settings) -> Body:
    """Deletes the keys of the service of that kind and uid. A Job never changes: create it, don't apply it again."""
    template = pod_template(spill, ROLE, process(spill, kind, uid, settings), settings, settings.service)
    template["spec"]["restartPolicy"] = "Never"
    spec: dict[str, Any] = {
        "backoffLimit": TRIES - 1,
        "activeDeadlineSeconds": LONGEST_SECONDS,
        "ttlSecondsAfterFinished": KEPT_SECONDS,
        "podFailurePolicy": {"rules": [spare_disruptions()]},
        "template": template,
    }
    return owned(spill, ROLE, "batch/v1", "Job", SpillNames.of(spill).purge(uid), spec=spec)


def spare_disruptions() -> Body:
    """A drained node is no failure of the Job."""
    return {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def process(spill: Spill, kind: str, uid: str, settings: Settings) -> Process:
    """What the pod runs."""
    url, volumes = server(spill)
    return Process(
        name=ROLE,
        image=settings.image.name,
        command=("forebay", "spill", "purge", kind.lower(), uid, *url),
        volumes=volumes,
        resources=RESOURCES,
    )


def server(spill: Spill) -> tuple[tuple[str, str], tuple[Volume, ...]]:
    """The option that tells where the Spill is, and the volume that it needs: no password is on a command line."""
    if spill.spec.url:
        return ("--url", spill.spec.url), ()
    source = spill.spec.url_from
    secret, key = (source.secret_ref.name, source.secret_ref.key) if source else (SpillNames.of(spill).valkey, URL)
    return ("--url-file", f"{SECRET}/{URL}"), (secret_volume("spill", SECRET, secret, {key: URL}),)
