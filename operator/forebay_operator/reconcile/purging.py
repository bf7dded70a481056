"""What services that are gone have left on a Spill: a Job deletes it."""

from collections.abc import Collection, Sequence

import structlog

from forebay.api.v1alpha1 import Spill
from forebay_operator.body import Body
from forebay_operator.errors import ConflictError
from forebay_operator.kube.kinds import JOB, POD
from forebay_operator.queue import Depth, Key
from forebay_operator.reconcile.ownership import check_ours
from forebay_operator.reconcile.world import World
from forebay_operator.resources import SpillNames, purge_job
from forebay_operator.resources.labels import UID

PODS_SECONDS = 5.0
"""Between two looks whether the pods of a service have ended."""

log = structlog.stdlib.get_logger(__name__)


class Purging:
    """Runs the Jobs."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def purge(self, spill: Spill, key: Key, services: Sequence[Body], alive: Collection[str]) -> list[Body]:
        """Have purged what services that are not alive have left; the services without those of which all is gone."""
        return [
            service
            for service in services
            if service["uid"] in alive or not await self._is_purged(spill, key, service["kind"], service["uid"])
        ]

    async def _is_purged(self, spill: Spill, key: Key, kind: str, uid: str) -> bool:
        job = await self._world.kube.find(JOB, key.namespace, SpillNames.of(spill).purge(uid))
        wanted = purge_job(spill, kind, uid, self._world.settings)
        if job is not None:
            check_ours(job, wanted)
            return has_succeeded(job)
        if await self._world.kube.list_all(POD, key.namespace, f"{UID}={uid}"):
            # A pod that ends yet may still write.
            self._world.put(key, Depth.RECONCILE, PODS_SECONDS)
            return False
        try:
            await self._world.kube.create(wanted)
        except ConflictError:
            self._world.put(key)
        else:
            log.info("purging what a service left that is gone", service=kind, uid=uid)
        return False


def has_succeeded(job: Body) -> bool:
    """Whether a Job has done its work."""
    conditions = job.get("status", {}).get("conditions", [])
    return any(each["type"] == "Complete" and each["status"] == "True" for each in conditions)
