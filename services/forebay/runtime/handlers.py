"""Wrapping the four kinds of gRPC handlers alike."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from inspect import isawaitable
from typing import Any, TypeAlias

import grpc
from grpc.aio import ServicerContext

Context: TypeAlias = ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Around: TypeAlias = Callable[[Context], AbstractAsyncContextManager[None]]
"""Gives what a call of a handler runs within."""
Behavior: TypeAlias = Callable[[Any, Context], Any]


def wrapped(handler: Handler, around: Around) -> Handler:
    """The same handler with each call inside `around(context)`.

    Responses of a stream are written here instead of being yielded, so that what is around the call always ends in the
    call's own task, also when that task is cancelled in the middle of a write.
    """
    name = f"{_side(handler.request_streaming)}_{_side(handler.response_streaming)}"
    behavior = getattr(handler, name)
    wrap = _streaming if handler.response_streaming else _unary
    make = getattr(grpc, f"{name}_rpc_method_handler")
    made: Handler = make(wrap(behavior, around), handler.request_deserializer, handler.response_serializer)
    return made


def _side(streaming: bool) -> str:
    return "stream" if streaming else "unary"


def _unary(behavior: Behavior, around: Around) -> Callable[[Any, Context], Awaitable[Any]]:
    async def call(request: Any, context: Context) -> Any:
        async with around(context):
            response = behavior(request, context)
            # A method that its servicer leaves out is a plain function of the generated base class.
            return await response if isawaitable(response) else response

    return call


def _streaming(behavior: Behavior, around: Around) -> Callable[[Any, Context], Awaitable[None]]:
    async def call(request: Any, context: Context) -> None:
        async with around(context):
            responses = behavior(request, context)
            if isawaitable(responses):
                await responses
                return
            async with aclosing(responses):
                async for response in responses:
                    await context.write(response)

    return call
