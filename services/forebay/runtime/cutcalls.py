"""Calls over gRPC that this side has cut off."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import grpc
from grpc.aio import AioRpcError, Metadata


def failed(problem: str, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> AioRpcError:
    """The error of a call that has ended without one."""
    return AioRpcError(code, Metadata(), Metadata(), problem)


@contextmanager
def cut_off(error: Callable[[], Exception]) -> Iterator[None]:
    """A call that we have cancelled, or whose channel we have closed, has failed: raise the error that is given.

    For gRPC, and its caller, it would be cancelled. Who is cancelled himself is so still.
    """
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise error() from None
