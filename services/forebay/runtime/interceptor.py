"""What every gRPC call passes through: request id, figures, trace, admission, deadline, and errors made presentable."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

import grpc
import structlog
from grpc.aio import AbortError
from structlog.contextvars import bound_contextvars

from forebay.runtime.access import HEALTH, Authorizer, Caller
from forebay.runtime.errors import (
    DeadlineExceededError,
    InternalError,
    ServiceError,
    UnimplementedError,
)
from forebay.runtime.handlers import Context, Handler, wrapped
from forebay.runtime.rpcmetrics import RpcMetrics
from forebay.runtime.status import DETAILS_KEY, to_status
from forebay.runtime.tracing import Tracing

REQUEST_ID = "x-request-id"
REQUEST_ID_FORM = re.compile(r"[A-Za-z0-9._:-]{1,64}")
LOOPBACK_PEERS = ("unix:", "ipv4:127.", "ipv6:[::1]", "ipv6:%5B::1%5D")

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class DeadlineSettings:
    """How long a call with one response may take. Streams live as long as their connection may."""

    default: float = 30.0
    """Seconds for a call whose client gave no deadline."""
    longest: float = 300.0
    """Seconds that no call exceeds, whatever its client gave."""


class OpenCalls:
    """Counts the calls in progress, and tells when none is left.

    A server that has stopped has ended all calls for their clients, but not yet waited for what runs here.
    """

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """One call."""
        self._count += 1
        self._none.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()

    async def ended(self) -> None:
        """Wait until there is none."""
        await self._none.wait()


@dataclass(frozen=True)
class Guard:
    """Around every call of a server."""

    calls: OpenCalls
    admit: Callable[[], None]
    """Raises while the service takes no calls; not asked for health checks."""
    authorizer: Authorizer
    deadlines: DeadlineSettings
    metrics: RpcMetrics
    tracing: Tracing

    @asynccontextmanager
    async def around(self, method: str, streaming: bool, context: Context) -> AsyncIterator[None]:
        """What one call of `package.Service/Method` runs within; its errors become a status here."""
        request_id = request_id_of(context)
        with (
            self.calls.one(),
            bound_contextvars(request_id=request_id, method=method),
            self.metrics.call(method, context),
            self.tracing.call(method, context),
        ):
            try:
                if not method.startswith(HEALTH):
                    self.admit()
                self.authorizer.check(caller_of(context), method)
                async with self.limit(streaming, context):
                    yield
            except AbortError:
                raise
            except Exception as error:  # noqa: BLE001 the one place where nothing unexpected may pass
                await context.abort_with_status(as_status(presentable(error), request_id))

    @asynccontextmanager
    async def limit(self, streaming: bool, context: Context) -> AsyncIterator[None]:
        """End the call at its deadline, which a stream has only if its client gave one."""
        seconds = None if streaming else self.seconds_of(context)
        try:
            async with asyncio.timeout(seconds) as scope:
                yield
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise DeadlineExceededError(f"not done within {seconds:g} s", reason="DEADLINE_EXCEEDED") from error

    def seconds_of(self, context: Context) -> float:
        """How long a call may take."""
        given: float | None = context.time_remaining()
        return self.deadlines.default if given is None else min(given, self.deadlines.longest)


def presentable(error: Exception) -> ServiceError:
    """What the caller may know of an error: all of a service's own, of others only the id they are logged under."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, NotImplementedError):
        return UnimplementedError("this service does not have this method")
    error_id = secrets.token_hex(8)
    log.error("call failed unexpectedly", error_id=error_id, exc_info=error)
    return InternalError(
        f"internal error {error_id}: the log of the service tells more under this id", facts={"error_id": error_id}
    )


@dataclass(frozen=True)
class RpcStatus(grpc.Status):
    """A status in the form that `abort_with_status` takes."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


def as_status(error: ServiceError, request_id: str) -> RpcStatus:
    """The status that ends a call."""
    status = to_status(error, request_id)
    return RpcStatus(error.code, status.message, ((DETAILS_KEY, status.SerializeToString()),))


def request_id_of(context: Context) -> str:
    """The caller's own request id when it is short and plain, else a new one."""
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_ID and isinstance(value, str) and REQUEST_ID_FORM.fullmatch(value):
            return value
    return secrets.token_hex(8)


def caller_of(context: Context) -> Caller:
    """Who calls, by the certificate if there is one."""
    facts = context.auth_context()
    secure = b"ssl" in facts.get("transport_security_type", ())
    names = [*facts.get("peer_dns", ()), *facts.get("peer_uri", ())] or facts.get("x509_common_name", ())
    loopback = context.peer().startswith(LOOPBACK_PEERS)
    # A certificate without a common name is reported to have an empty one.
    return Caller(tuple(name.decode(errors="replace") for name in names if name), secure, loopback)


class Interceptor(grpc.aio.ServerInterceptor):
    """Puts a guard around every handler of a server."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler of a call, guarded; none for a method that does not exist, which grpc answers itself."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method.removeprefix("/")
        return wrapped(handler, partial(self._guard.around, method, handler.response_streaming))
