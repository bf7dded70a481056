"""The client of the API server: few verbs, plain dictionaries, bounded tries, own errors."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import aiohttp
from kubernetes.aio.client import ApiClient
from kubernetes.aio.dynamic import DynamicClient
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from forebay_operator.body import Body
from forebay_operator.errors import KubeError, NotFoundError, UnavailableError
from forebay_operator.kube.faults import FAILURES, translated
from forebay_operator.kube.kinds import Kind, kind_of

FIELD_MANAGER = "forebay-operator"
PAGE = 500
"""Objects that a list asks for at a time."""
TIMEOUT = aiohttp.ClientTimeout(total=30.0, sock_connect=10.0)
TRIES = 4
LONGEST_WAIT = 10.0
"""Seconds between two tries, whatever the API server asks for: a worker waits meanwhile."""
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
EXPIRED = 410

Verb = Literal["get", "list", "create", "patch", "delete"]
_METHODS: dict[Verb, str] = {"get": "GET", "list": "GET", "create": "POST", "patch": "PATCH", "delete": "DELETE"}


class KubeClient:
    """Requests to the API server.

    Each raises `KubeError`. No answer, 429 and 5xx are tried again a few times with growing waits; writes too, since
    each of them is either safe to repeat or guarded by a resourceVersion.
    """

    def __init__(self, api: ApiClient, succeeded: Callable[[], None] = lambda: None) -> None:
        """`succeeded` is called after every answer that was no failure."""
        self.may_write: Callable[[], bool] = lambda: True
        """Asked before each write but those of `call`."""
        self.requests: Counter[tuple[Verb, str]] = Counter()
        """How many requests were sent, by verb and resource, as `outfeeds` or `outfeeds/status`."""
        self._dynamic = DynamicClient(api)  # type: ignore[no-untyped-call]
        self._api = api
        self._succeeded = succeeded

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()  # type: ignore[no-untyped-call]

    async def get(self, kind: Kind, namespace: str, name: str) -> Body:
        """One object. Raises `NotFoundError`."""
        return await self._send("get", kind, namespace, name)

    async def find(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """One object, or None when there is none."""
        try:
            return await self.get(kind, namespace, name)
        except NotFoundError:
            return None

    async def list_all(self, kind: Kind, namespace: str, labels: str = "") -> list[Body]:
        """All objects of a kind in a namespace (or everywhere, if it is empty), as they were at one moment.

        `labels` is a label selector.
        """
        while True:
            try:
                return await self._pages(kind, namespace, labels)
            except KubeError as error:
                # The moment of the first page is no longer known. Pages of two moments could lack an object.
                if error.status != EXPIRED:
                    raise

    async def _pages(self, kind: Kind, namespace: str, labels: str) -> list[Body]:
        items: list[Body] = []
        more: str | None = None
        while True:
            page = await self._send(
                "list", kind, namespace, limit=PAGE, label_selector=labels or None, _continue=more or None
            )
            # Items of a list lack what the list says for all of them.
            items += ({"apiVersion": kind.api_version, "kind": kind.kind, **item} for item in page["items"])
            more = page["metadata"].get("continue")
            if not more:
                return items

    async def create(self, body: Body) -> Body:
        """Create an object; as it is then. Raises `ConflictError` when there is one of that name."""
        kind, metadata = kind_of(body), body["metadata"]
        return await self._send("create", kind, metadata["namespace"], body=body, field_manager=FIELD_MANAGER)

    async def apply(self, body: Body) -> Body:
        """Bring an object about by server-side apply; as it is then.

        With a resourceVersion in its metadata it is written only when nobody has written since, else `ConflictError`.
        """
        kind, metadata = kind_of(body), body["metadata"]
        return await self._send(
            "patch",
            kind,
            metadata["namespace"],
            metadata["name"],
            body=body,
            content_type=APPLY_PATCH,
            field_manager=FIELD_MANAGER,
            force_conflicts="true",
        )

    async def patch(self, kind: Kind, namespace: str, name: str, body: Body, subresource: str = "") -> Body:
        """Change fields of an object by a merge patch; the object as it is then."""
        return await self._send(
            "patch",
            kind,
            namespace,
            name,
            subresource,
            body=body,
            content_type=MERGE_PATCH,
            field_manager=FIELD_MANAGER,
        )

    async def delete(self, body: Body, propagation: Literal["Background", "Orphan"]) -> None:
        """Delete just this object, and what it owns or not; nothing happens when it is gone already."""
        kind, metadata = kind_of(body), body["metadata"]
        options = {"propagationPolicy": propagation, "preconditions": {"uid": metadata["uid"]}}
        try:
            await self._send("delete", kind, metadata["namespace"], metadata["name"], body=options)
        except NotFoundError:
            return

    async def serves(self, kind: Kind) -> bool:
        """Whether the API server knows a kind."""
        try:
            found = await self._request("GET", kind.path("").rpartition("/")[0])
        except NotFoundError:
            return False
        return any(resource["name"] == kind.plural for resource in found["resources"])

    async def call(self, method: str, path: str, body: Body | None = None) -> Body:
        """Any one request, tried once."""
        return await self._try(method, path, {"body": body})

    async def _send(
        self, verb: Verb, kind: Kind, namespace: str, name: str = "", subresource: str = "", **options: Any
    ) -> Body:
        self.requests[verb, f"{kind.plural}/{subresource}".rstrip("/")] += 1
        return await self._request(_METHODS[verb], kind.path(namespace, name, subresource), **options)

    async def _request(self, method: str, path: str, **options: Any) -> Body:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(UnavailableError),
            stop=stop_after_attempt(TRIES),
            wait=_wait,
            sleep=asyncio.sleep,
            reraise=True,
        ):
            with attempt:
                # Before each try: a lease is lost in less time than all of them take.
                if method != "GET" and not self.may_write():
                    raise UnavailableError(f"{method} {path}", 0, "another operator leads by now")
                return await self._try(method, path, options)
        raise AssertionError("tenacity ends by a result or by an error")

    async def _try(self, method: str, path: str, options: dict[str, Any]) -> Body:
        try:
            response = await self._dynamic.request(
                method, path, serialize=False, query_params=[], header_params={}, _request_timeout=TIMEOUT, **options
            )
            body: Body = await response.json()
        except FAILURES as failure:
            raise translated(f"{method} {path}", failure) from None
        self._succeeded()
        return body


_backoff = wait_random_exponential(multiplier=0.25, max=LONGEST_WAIT)


def _wait(state: RetryCallState) -> float:
    """Seconds to the next try: what the API server asks for, or a growing wait."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, UnavailableError) else 0.0
    return min(LONGEST_WAIT, max(asked, _backoff(state)))
