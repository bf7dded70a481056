from collections.abc import AsyncIterator, Coroutine
from typing import Any

from grpc import aio

from forebay.pb.store.v1 import mirror_pb2

class MirrorServiceStub:
    def __init__(self, channel: aio.Channel) -> None: ...
    Follow: aio.StreamStreamMultiCallable[mirror_pb2.FollowRequest, mirror_pb2.FollowResponse]

class MirrorServiceServicer:
    def Follow(self, request_iterator: AsyncIterator[mirror_pb2.FollowRequest], context: aio.ServicerContext[mirror_pb2.FollowRequest, mirror_pb2.FollowResponse]) -> AsyncIterator[mirror_pb2.FollowResponse] | Coroutine[Any, Any, None]: ...

def add_MirrorServiceServicer_to_server(servicer: MirrorServiceServicer, server: aio.Server) -> None: ...
