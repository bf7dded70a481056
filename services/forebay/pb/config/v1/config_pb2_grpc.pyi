from collections.abc import AsyncIterator, Coroutine
from typing import Any

from grpc import aio

from forebay.pb.config.v1 import config_pb2

class ConfigServiceStub:
    def __init__(self, channel: aio.Channel) -> None: ...
    Apply: aio.UnaryUnaryMultiCallable[config_pb2.ApplyRequest, config_pb2.ApplyResponse]
    GetStatus: aio.UnaryUnaryMultiCallable[config_pb2.GetStatusRequest, config_pb2.GetStatusResponse]

class ConfigServiceServicer:
    def Apply(self, request: config_pb2.ApplyRequest, context: aio.ServicerContext[config_pb2.ApplyRequest, config_pb2.ApplyResponse]) -> Coroutine[Any, Any, config_pb2.ApplyResponse]: ...
    def GetStatus(self, request: config_pb2.GetStatusRequest, context: aio.ServicerContext[config_pb2.GetStatusRequest, config_pb2.GetStatusResponse]) -> Coroutine[Any, Any, config_pb2.GetStatusResponse]: ...

def add_ConfigServiceServicer_to_server(servicer: ConfigServiceServicer, server: aio.Server) -> None: ...
