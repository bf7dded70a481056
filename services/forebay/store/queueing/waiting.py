"""Who waits for a round: told when what happened to a queue is as safe as the store's settings say."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from forebay.runtime.errors import UnavailableError

if TYPE_CHECKING:
    import asyncio


class Waiter(Protocol):
    """Is told once, one way or the other."""

    def kept(self) -> None:
        """What it waits for is safe."""
        ...

    def failed(self, reason: str) -> None:
        """The queue crashed, or was removed: what it waits for may be lost."""
        ...


class Call(NamedTuple):
    """A call that returns when it is told."""

    future: "asyncio.Future[None]"

    def kept(self) -> None:
        """See `Waiter`."""
        if not self.future.done():
            self.future.set_result(None)

    def failed(self, reason: str) -> None:
        """See `Waiter`."""
        if not self.future.done():
            self.future.set_exception(UnavailableError(reason, reason="QUEUE_CRASHED", retry_after=1.0))
