"""Statuses and Events: written when they differ, a bounded number at a time."""

import asyncio
import os
import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice

import structlog

from forebay_operator.body import Body
from forebay_operator.conditions import Event, status_patch, transitions
from forebay_operator.errors import ConflictError, KubeError, NotFoundError
from forebay_operator.kube import FIELD_MANAGER, KubeClient, kind_of
from forebay_operator.reconcile.eventbudget import EventBudget

AT_ONCE = 16
BATCH = 100
LONGEST_NAME = 253
"""Characters of the name of an object."""
REMEMBERED = timedelta(minutes=1)
"""How long it matters when a status was written."""

log = structlog.stdlib.get_logger(__name__)


class Statuses:
    """Writes statuses, and the Events of their transitions."""

    def __init__(self, kube: KubeClient, now: Callable[[], datetime]) -> None:
        self._kube = kube
        self._now = now
        self._written: dict[str, datetime] = {}
        """By uid, the oldest first."""
        self._budget = EventBudget(now)
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def write_all(self, statuses: Iterable[tuple[Body, Body]]) -> None:
        """Write the new status of each resource; raises the first error after all were tried."""
        failures: list[BaseException] = []
        rest = iter(statuses)
        # To make thousands at once would hold up all else meanwhile.
        while some := list(islice(rest, BATCH)):
            results = await asyncio.gather(*(self.write(*each) for each in some), return_exceptions=True)
            failures += [result for result in results if result is not None]
        if failures:
            raise failures[0]

    async def write(self, resource: Body, status: Body) -> None:
        """Write the new status of a resource where it differs, and into the resource what was written.

        Nothing happens when the resource is gone, or another than it was.
        """
        uid, old = resource["metadata"]["uid"], resource.get("status", {})
        patch = status_patch(old, status, self._written.get(uid), self._now())
        if patch is None:
            return
        async with self._slots:
            if not await self._send(resource, patch):
                return
            self._remember(uid)
            resource["status"] = status
            for event in transitions(old, status):
                if self._budget.take(uid):
                    await self._post(resource, event)

    async def _send(self, resource: Body, patch: Body) -> bool:
        """Whether it was written. When somebody has changed the resource since it was read, its next pass knows."""
        metadata = resource["metadata"]
        body = {"metadata": {"resourceVersion": metadata["resourceVersion"]}, "status": patch}
        place = kind_of(resource), metadata["namespace"], metadata["name"]
        try:
            written = await self._kube.patch(*place, body, "status")
        except (NotFoundError, ConflictError):
            return False
        metadata["resourceVersion"] = written["metadata"]["resourceVersion"]
        return True

    async def _post(self, resource: Body, event: Event) -> None:
        try:
            await self._kube.create(event_body(resource, event, self._now()))
        except KubeError as error:
            # An Event tells nothing that the condition does not, and a namespace that is being deleted takes none.
            log.info("an Event was not posted", problem=str(error))

    def _remember(self, uid: str) -> None:
        now = self._now()
        self._written.pop(uid, None)
        while self._written and abs(now - next(iter(self._written.values()))) > REMEMBERED:
            del self._written[next(iter(self._written))]
        self._written[uid] = now


def event_body(resource: Body, event: Event, now: datetime) -> Body:
    """The Event about a resource."""
    metadata, mark = resource["metadata"], uuid.uuid4().hex[:16]
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": event_name(metadata["name"], mark), "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": resource["apiVersion"],
            "kind": resource["kind"],
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        },
        "type": event.type,
        "reason": event.reason,
        "message": event.message,
        "source": {"component": FIELD_MANAGER},
        "reportingComponent": FIELD_MANAGER,
        "reportingInstance": os.environ.get("HOSTNAME", FIELD_MANAGER),
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "count": 1,
    }


def event_name(resource: str, mark: str) -> str:
    """A name for an Event about a resource of that name."""
    return f"{resource[: LONGEST_NAME - len(mark) - 1].rstrip('.-')}.{mark}"
