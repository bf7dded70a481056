"""Calls over gRPC that this side has cut off, or whose task is cancelled."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import grpc
from grpc.aio import AioRpcError, Metadata


def failed(problem: str, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> AioRpcError:
    """The error of a call that has ended without one."""
    return AioRpcError(code, Metadata(), Metadata(), problem)


def is_cancelled() -> bool:
    """Whether the running task is to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@contextmanager
def cancellable() -> Iterator[None]:
    """A task that is cancelled is so, also when its call fails at that moment: gRPC tells of the failure alone then,
    and whoever tries again after failures would go on for ever.
    """
    try:
        yield
    except (AioRpcError, asyncio.InvalidStateError) as failure:
        if is_cancelled():
            raise asyncio.CancelledError from failure
        raise


@contextmanager
def cut_off(error: Callable[[], Exception]) -> Iterator[None]:
    """A call that we have cancelled, or whose channel we have closed, has failed: raise the error that is given.

    For gRPC, and its caller, it would be cancelled. Who is cancelled himself is so still, as with `cancellable`.
    """
    try:
        with cancellable():
            yield
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        raise error() from None
