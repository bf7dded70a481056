"""When a stream to a service is made again after it was lost, and when not any more."""

import asyncio
from random import Random

import grpc
import structlog
from grpc.aio import AioRpcError

from forebay.runtime import Backoff, BackoffSettings, Clock, ServiceError, from_rpc_error
from forebay.runtime.cutcalls import is_cancelled

RETRIED = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED})
"""The service is away, is full, or has cut us off because it ends: later it may take the same."""

log = structlog.stdlib.get_logger(__name__)


class Retrying:
    """The tries of one stream."""

    def __init__(self, what: str, backoff: BackoffSettings, patience: float, clock: Clock) -> None:
        """`what` is being done, for the log. `patience` is in seconds from the first failure in a row."""
        self._what = what
        self._patience = patience
        self._clock = clock
        self._backoff = Backoff(backoff, clock, Random())  # noqa: S311 spreads clients
        self._failing_since = 0.0
        self._waited = True

    @property
    def failures(self) -> int:
        """Tries that failed since the service was heard last."""
        return self._backoff.failures

    def heard(self) -> None:
        """The service answered."""
        self._backoff.reset()

    async def wait_after(self, error: AioRpcError, *, led: bool = False) -> None:
        """Wait before the next try. Raises `ServiceError` when there shall be none.

        led: the service has told where else to try. That is done without a wait, but not twice in a row.
        """
        if is_cancelled():  # as with `cancellable`
            raise asyncio.CancelledError from error
        failure = from_rpc_error(error)
        if error.code() not in RETRIED and not is_torn(error.code(), failure):
            raise failure from error
        if led and self._waited:
            self._waited = False
            return
        self._waited = True
        now = self._clock.monotonic()
        if not self.failures:
            self._failing_since = now
        delay = max(self._backoff.fail(), failure.retry_after or 0.0)
        if now + delay - self._failing_since > self._patience:
            raise failure from error
        log.warning(f"{self._what} goes on later", seconds=round(delay, 1), problem=failure.message)
        await self._clock.sleep(delay)


def is_torn(code: grpc.StatusCode, failure: ServiceError) -> bool:
    """Whether gRPC itself failed: our services never say INTERNAL without the id of an entry in their log.

    It also says so in place of the service's own answer when that comes while something is being written.
    """
    return code is grpc.StatusCode.INTERNAL and "error_id" not in failure.facts
