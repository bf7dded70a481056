"""What a service is to the runtime that hosts it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import grpc
from aiohttp.typedefs import Handler
from prometheus_client.metrics_core import Metric

from forebay.api.v1alpha1 import AccessRule
from forebay.runtime.document import ConfigDocument
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.tasks import Supervisor


class Degradation(NamedTuple):
    """Something that a service does without for now. It stays ready."""

    reason: str
    """One word for programs, as `SpillUnavailable`."""
    message: str
    """What happened, what it means, and the next step."""
    kind: str = ""
    """Kind of the resource that it is about, as `Spill`; empty: the service itself."""
    name: str = ""
    """Name of that resource, in the namespace of the service."""


class Service(Protocol):
    """One of Forebay's services. Everything is called on the event loop.

    A host calls `register`, `start`, `apply` with the first configuration, and then says that the service is ready;
    `apply` again with each newer configuration; in the end `quiesce` and `drain`. Methods with a body here may be left
    out by those that derive from this class.
    """

    name: str
    """As in `forebay serve NAME`."""
    watched: Collection[str] = ()
    """Methods that the operator calls to tell how the service is, as `package.Service/Method`."""

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Add the servicers; the full names of their services, for health and reflection.

        Their methods are not called before the service is ready.
        """
        ...

    async def start(self, tasks: Supervisor) -> None:
        """Recover what is on disk and start to work; long-lived tasks belong to `tasks`.

        Waiting for Redis or a peer is not part of it: what is away is a degradation.
        """
        ...

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Make a configuration the one in force, touching only what differs; a result for each resource, in order.

        What is wrong with one resource stands in its result and leaves the others alone.
        """
        ...

    async def drain(self) -> None:
        """Finish or hand back what is in flight and flush it; called when no gRPC call is left.

        Called also when `start` has failed or was cut short.
        """
        ...

    def quiesce(self) -> None:
        """Draining begins: take nothing new, and let long streams end, with UNAVAILABLE where work is left."""

    def collect(self) -> Iterable[Metric]:
        """The service's metrics, all of this moment."""
        return ()

    def degradations(self) -> Sequence[Degradation]:
        """What the service does without now."""
        return ()

    def access(self) -> Sequence[AccessRule]:
        """Who may call what; no rules: every certificate of our authority."""
        return ()

    def pages(self) -> Mapping[str, Handler]:
        """More pages of the HTTP port by path, for GET."""
        return {}
