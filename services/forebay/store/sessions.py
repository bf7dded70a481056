"""What the service needs of the queues: sessions of publishers and consumers, calls, figures, and an opener of all."""

from collections.abc import Callable, Coroutine, Sequence, Set
from pathlib import Path
from typing import Any, Protocol

from forebay.api.v1alpha1 import StoreSpec
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.clock import Clock
from forebay.runtime.errors import FieldViolation, ServiceError
from forebay.runtime.tasks import Supervisor
from forebay.store.mirroring.followers import Followers
from forebay.store.queueing.figures import Figures
from forebay.store.queueing.messages import Messages
from forebay.store.queueing.spec import QueueSpec


class PublisherSession(Protocol):
    """One publisher; all of it on the event loop, nothing of it waits."""

    wake: Callable[[], None]
    """Called when `take` has something to give, or `octets` fell. Set by the stream before anything else."""
    octets: int
    """Octets of the messages without an outcome."""

    def publish(self, first: int, messages: Messages) -> None:
        """Take messages in, of which the first has that number.

        Raises `InvalidArgumentError` for a number that is not the next, and for a message that is too large; then none
        of them was taken.
        """
        ...

    def take(self) -> Sequence[pb.Confirm]:
        """Outcomes since the last time, in the order of the messages."""
        ...

    def close(self) -> None:
        """The stream is gone: nobody asks for outcomes any more."""
        ...


class ConsumerSession(Protocol):
    """One consumer; all of it on the event loop, nothing of it waits."""

    wake: Callable[[], None]
    """Called when `take` has something to give, when it failed, or when it became idle. Set by the stream."""

    @property
    def failure(self) -> ServiceError | None:
        """Why it has ended: its queue crashed or was removed."""
        ...

    def allow(self, credit: int) -> None:
        """So many more deliveries."""
        ...

    def settle(self, settlements: Sequence[pb.Settlement]) -> None:
        """What became of deliveries. Raises `InvalidArgumentError` for one that is not outstanding."""
        ...

    def take(self) -> bytes | None:
        """The next response, serialised: deliveries of a turn, settlements that are durable, a change of `active`.

        Called when the last one has gone out, so what is handed out and not yet sent is bounded by one turn.
        """
        ...

    def leave(self) -> None:
        """No more deliveries: what is outstanding goes back to the queue. What was settled is still reported."""
        ...

    @property
    def idle(self) -> bool:
        """It has left, and all that was settled is durable and was taken."""
        ...

    def close(self) -> None:
        """The stream is gone; leaves if it has not."""
        ...


class QueueHub(Protocol):
    """All queues of a store."""

    on_blocked: Callable[[str], None]
    """Called with `blocked` after each change."""

    @property
    def blocked(self) -> str:
        """Why publishers have to wait: the alarms; empty: they need not."""
        ...

    def publisher(self, name: str) -> PublisherSession:
        """Begin to publish under a name; empty: without one."""
        ...

    def attach(self, start: pb.ConsumeStart, peer: str) -> ConsumerSession:
        """Begin to consume.

        Raises `NotFoundError`, `FailedPreconditionError` beside an exclusive consumer, `UnavailableError` while the
        queue is not at work.
        """
        ...

    async def get(self, queue: str, count: int) -> pb.GetResponse:
        """Take messages. Raises `NotFoundError` or `UnavailableError`, as the others."""
        ...

    async def browse(self, queue: str, position: int, count: int) -> pb.BrowseResponse:
        """Look at messages from a position on; 0: from the head."""
        ...

    async def purge(self, queue: str) -> int:
        """Remove what is ready; how many messages."""
        ...

    def list(self) -> Sequence[pb.QueueStatus]:
        """All queues, by name."""
        ...

    def describe(self, queue: str) -> pb.GetQueueResponse:
        """One queue."""
        ...

    def figures(self) -> Figures:
        """The figures of this moment."""
        ...

    async def apply(
        self, spec: StoreSpec, queues: Sequence[QueueSpec], spared: Set[str] = frozenset()
    ) -> dict[str, FieldViolation]:
        """Make these the settings and the queues; what is wrong with a queue, by its identity.

        A queue that is not among them is removed with its messages, at work or only on disk; but for those spared: what
        is on disk of these identities stays.
        """
        ...

    async def close(self) -> None:
        """Write everything and close it. No session is left."""
        ...


Opening = Callable[
    [Path, StoreSpec, Sequence[QueueSpec], Supervisor, Clock, Followers | None], Coroutine[Any, Any, QueueHub]
]
"""Opens the queues in a folder and recovers them; long-lived tasks belong to the supervisor."""
