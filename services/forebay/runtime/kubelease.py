"""A lease recorded as a Lease of coordination.k8s.io/v1, written by compare-and-swap on its resourceVersion."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from forebay.runtime.clock import Clock
from forebay.runtime.errors import LeaseError
from forebay.runtime.kubeapi import Answer
from forebay.runtime.lease import Standing

NOTE = "forebay.dev/note"
"""Annotation of the holder's note."""
FOUND, CREATED, FORBIDDEN, MISSING, CONFLICT = 200, 201, 403, 404, 409


class Requests(Protocol):
    """What a lease needs of a client of the API server."""

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Send one request; any status is an answer. Raises `LeaseError` when there is none."""
        ...


class KubeLease:
    """Another's lease counts as run out only after it was seen unchanged for its whole duration by our own clock.

    The times written into it are for people: clocks of two nodes may differ.
    """

    def __init__(self, api: Requests, namespace: str, name: str, clock: Clock) -> None:
        self.name = f"{namespace}/{name}"
        self._api = api
        self._metadata = {"name": name, "namespace": namespace}
        self._folder = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._path = f"{self._folder}/{name}"
        self._clock = clock
        self._seen: tuple[object, float] = (None, 0.0)
        """Another's last renewal, and when by our clock it was first seen."""

    async def take(self, holder: str, seconds: float, patience: float = 0.0) -> int | None:
        """Create the Lease, or write the holder into it when it is free or has run out, and was so for `patience`."""
        found = await self._read()
        if found is None:
            wanted = {"metadata": self._metadata, "spec": self._spec(holder, seconds, 1)}
            return self._epoch(await self._api.request("POST", self._folder, wanted))
        if not self._is_free(found, holder, patience):
            return None
        return self._epoch(await self._write(found, self._spec(holder, seconds, transitions(found) + 1)))

    async def renew(self, holder: str, seconds: float) -> bool:
        """Write a new time of renewal; what others changed in the Lease meanwhile, as annotations, is kept."""
        found = await self._read()
        while found is not None and found.get("spec", {}).get("holderIdentity") == holder:
            spec = {**found["spec"], "renewTime": self._now(), "leaseDurationSeconds": whole(seconds)}
            if self._epoch(await self._write(found, spec)) is not None:
                return True
            found = await self._read()
        return False

    async def release(self, holder: str) -> None:
        """Write that nobody holds it, unless it is another's."""
        found = await self._read()
        if found is not None and found.get("spec", {}).get("holderIdentity") == holder:
            spec = {**found["spec"], "holderIdentity": "", "renewTime": self._now(), "leaseDurationSeconds": 1}
            self._epoch(await self._write(found, spec))

    async def standing(self) -> Standing:
        """What is written in it; the note is an annotation."""
        found = await self._read() or {}
        annotations = found.get("metadata", {}).get("annotations") or {}
        return Standing(
            str(found.get("spec", {}).get("holderIdentity") or ""), transitions(found), annotations.get(NOTE, "")
        )

    async def write_note(self, holder: str, note: str) -> bool:
        """Write a note beside the lease; False, and nothing is written, when it is another's."""
        while (found := await self._read()) is not None and found.get("spec", {}).get("holderIdentity") == holder:
            metadata = found["metadata"]
            noted = {**metadata, "annotations": {**(metadata.get("annotations") or {}), NOTE: note}}
            if self._epoch(await self._write({**found, "metadata": noted}, found["spec"])) is not None:
                return True
        return False

    async def holder(self) -> str:
        """Who is written in it. It may have run out."""
        found = await self._read()
        return str((found or {}).get("spec", {}).get("holderIdentity") or "")

    def _is_free(self, found: dict[str, Any], holder: str, patience: float) -> bool:
        spec = found.get("spec", {})
        if spec.get("holderIdentity") == holder:
            return True
        renewal = (spec.get("holderIdentity"), spec.get("renewTime"), spec.get("leaseTransitions"))
        now = self._clock.monotonic()
        if renewal != self._seen[0]:
            self._seen = (renewal, now)
        unchanged = now - self._seen[1]
        if not spec.get("holderIdentity"):
            return unchanged >= patience
        return unchanged > float(spec.get("leaseDurationSeconds") or 0) + patience

    async def _read(self) -> dict[str, Any] | None:
        answer = await self._api.request("GET", self._path)
        if answer.status == MISSING:
            return None
        return self._checked(answer, FOUND).body

    async def _write(self, found: dict[str, Any], spec: dict[str, Any]) -> Answer:
        return await self._api.request("PUT", self._path, {**found, "spec": spec})

    def _epoch(self, answer: Answer) -> int | None:
        """The epoch in what was written; None when somebody else wrote first."""
        if answer.status == CONFLICT:
            return None
        return transitions(self._checked(answer, FOUND, CREATED).body)

    def _checked(self, answer: Answer, *wanted: int) -> Answer:
        if answer.status in wanted:
            return answer
        remedy = "; the service account needs get, create and update of leases" if answer.status == FORBIDDEN else ""
        message = str(answer.body.get("message", ""))[:200]
        raise LeaseError(f"Lease {self.name}: the Kubernetes API answered {answer.status} {message}{remedy}")

    def _spec(self, holder: str, seconds: float, epoch: int) -> dict[str, Any]:
        now = self._now()
        return {
            "holderIdentity": holder,
            "leaseDurationSeconds": whole(seconds),
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": epoch,
        }

    def _now(self) -> str:
        """The wall clock as Kubernetes' MicroTime."""
        return datetime.fromtimestamp(self._clock.wall(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def transitions(found: dict[str, Any]) -> int:
    """How often a Lease has been taken; another's program may have left that out."""
    return int(found.get("spec", {}).get("leaseTransitions") or 0)


def whole(seconds: float) -> int:
    """Full seconds, rounded up: Kubernetes takes no parts, and shorter would let others in early."""
    return max(1, int(-(-seconds // 1)))
