"""An API server in memory, for tests of reconciling: honest about versions, generations and conflicts."""

import copy
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from forebay_operator.body import Body
from forebay_operator.errors import ConflictError, KubeError, NotFoundError
from forebay_operator.kube.kinds import EVENT, SPARK_APPLICATION, Kind, kind_of

IGNORED = ("resourceVersion", "generation", "uid", "creationTimestamp")


class FakeKube:
    """What a `KubeClient` does, without a server. Field ownership is left out: what is applied is merged in."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        self.objects: dict[tuple[str, str, str], Body] = {}
        self.writes: list[str] = []
        """Each write that changed something, as `patch Service news/hub`."""
        self.served: set[str] = set()
        """Kinds that `serves` tells of, and those of a Spark operator that can be listed."""
        self.now = lambda: datetime(2026, 1, 1, tzinfo=UTC)
        self.slow: set[str] = set()
        """Kinds whose objects are not gone at once when they are deleted."""
        self.version = 0
        self.watch = unwatched
        """Is told of each change, and whether it is a deletion."""
        self._faults: list[tuple[str, str, KubeError]] = []

    def fail(self, verb: str, kind: Kind, error: type[KubeError] = ConflictError, status: int = 409) -> None:
        """Have the next request of that sort fail."""
        self._faults.append((verb, kind.plural, error(f"{verb} {kind.plural}", status, "for the test")))

    def events(self) -> list[tuple[str, str]]:
        """Who was told what: names of resources with the reasons of their Events."""
        found = [body for (kind, _, _), body in self.objects.items() if kind == EVENT.kind]
        return [(body["involvedObject"]["name"], body["reason"]) for body in found]

    async def find(self, kind: Kind, namespace: str, name: str) -> Body | None:
        self._request("get", kind)
        found = self.objects.get((kind.kind, namespace, name))
        return copy.deepcopy(found)

    async def list_all(self, kind: Kind, namespace: str, labels: str = "") -> list[Body]:
        self._request("list", kind)
        if kind == SPARK_APPLICATION and kind.kind not in self.served:
            raise NotFoundError(f"list {kind.plural}", 404, "the server could not find the requested resource")
        wanted = dict(each.split("=") for each in labels.split(",") if each)
        return [
            copy.deepcopy(body)
            for (found, place, _), body in self.objects.items()
            if found == kind.kind and place == namespace
            if wanted.items() <= body["metadata"].get("labels", {}).items()
        ]

    async def create(self, body: Body) -> Body:
        self._request("create", kind_of(body))
        if key_of(body) in self.objects:
            raise ConflictError(f"create {key_of(body)}", 409, "already exists")
        return self._store("create", copy.deepcopy(body))

    async def apply(self, body: Body) -> Body:
        self._request("patch", kind_of(body))
        return self.put(body, "patch")

    async def patch(self, kind: Kind, namespace: str, name: str, body: Body, subresource: str = "") -> Body:
        self._request("patch", kind, subresource)
        found = self.objects.get((kind.kind, namespace, name))
        if found is None:
            raise NotFoundError(f"patch {name}", 404, "not found")
        self._compare(found, body)
        part = {"status": body["status"]} if subresource == "status" else body
        return self._changed(merged(found, part), "patch")

    async def delete(self, body: Body, propagation: str) -> None:
        self._request("delete", kind_of(body))
        if body["kind"] in self.slow:
            self.objects[key_of(body)]["metadata"]["deletionTimestamp"] = "2026-11-27T00:00:00Z"
        else:
            self.remove(*key_of(body))
        self.writes.append(f"delete {'/'.join(key_of(body))} {propagation}")

    async def serves(self, kind: Kind) -> bool:
        return kind.kind in self.served

    def put(self, body: Body, verb: str = "by hand") -> Body:
        """Apply an object, or create it."""
        found = self.objects.get(key_of(body))
        if found is None:
            return self._store(verb, copy.deepcopy(body))
        self._compare(found, body)
        return self._changed(merged(found, body), verb)

    def remove(self, kind: str, namespace: str, name: str) -> None:
        """Delete an object."""
        self.watch(self.objects.pop((kind, namespace, name)), True)

    def get(self, kind: Kind, name: str, namespace: str = "news") -> Body:
        """What is there now."""
        return self.objects[kind.kind, namespace, name]

    def _compare(self, found: Body, body: Body) -> None:
        version = found["metadata"]["resourceVersion"]
        if body.get("metadata", {}).get("resourceVersion", version) != version:
            raise ConflictError(f"patch {key_of(found)}", 409, "has been changed")

    def _store(self, verb: str, body: Body) -> Body:
        self.version += 1
        uid = body["metadata"].get("uid") or f"uid-{self.version}"
        body["metadata"] |= {"uid": uid, "generation": 1, "resourceVersion": str(self.version)}
        body["metadata"] |= {"creationTimestamp": self.now().strftime("%Y-%m-%dT%H:%M:%SZ")}
        return self._kept(verb, body)

    def _changed(self, body: Body, verb: str) -> Body:
        before = self.objects[key_of(body)]
        if content(before) == content(body):
            return copy.deepcopy(before)
        self.version += 1
        same_spec = {**before, "status": None, "metadata": None} == {**body, "status": None, "metadata": None}
        generation = before["metadata"]["generation"] + (not same_spec)
        kept = {"uid": before["metadata"]["uid"], "generation": generation, "resourceVersion": str(self.version)}
        return self._kept(verb, {**body, "metadata": {**body["metadata"], **kept}})

    def _kept(self, verb: str, body: Body) -> Body:
        self.objects[key_of(body)] = body
        self.writes.append(f"{verb} {'/'.join(key_of(body))}")
        self.watch(copy.deepcopy(body), False)
        return copy.deepcopy(body)

    def _request(self, verb: str, kind: Kind, subresource: str = "") -> None:
        self.requests[verb, f"{kind.plural}/{subresource}".rstrip("/")] += 1
        for fault in self._faults:
            if fault[:2] == (verb, kind.plural):
                self._faults.remove(fault)
                raise fault[2]


def unwatched(body: Body, deleted: bool) -> None:
    """Nobody follows."""


def key_of(body: Body) -> tuple[str, str, str]:
    return body["kind"], body["metadata"]["namespace"], body["metadata"]["name"]


def content(body: Body) -> Body:
    """An object without what the server counts."""
    metadata = {name: value for name, value in body["metadata"].items() if name not in IGNORED}
    return {**body, "metadata": metadata}


def merged(found: Any, patch: Any) -> Any:
    """A merge patch (RFC 7396), applied."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(found) if isinstance(found, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result
