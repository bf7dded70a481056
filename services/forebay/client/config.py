"""A client of ConfigService, which every service has."""

from pathlib import Path
from types import TracebackType
from typing import Self

from forebay.client.channels import open_channel, service_errors
from forebay.pb.config.v1 import config_pb2 as pb
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.runtime import ClientChannel, ConfigDocument
from forebay.runtime.document import encode

TIMEOUT = 60.0
"""Seconds that a call may take."""


class ConfigClient:
    """Applies configuration to a running service. All methods raise `ServiceError`."""

    def __init__(self, channel: ClientChannel) -> None:
        """The channel is the client's from now on, and closed with it."""
        self._channel = channel

    @classmethod
    def connect(cls, address: str, tls: Path | None = None) -> Self:
        """A client for `host:port` or `unix:/path`; see `OutfeedClient.connect`."""
        return cls(open_channel(address, tls))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channel.close()

    async def status(self) -> pb.GetStatusResponse:
        """Which configuration is in force, and how the service fares."""
        with service_errors():
            return await self._stub().GetStatus(pb.GetStatusRequest(), timeout=TIMEOUT)

    async def apply(self, document: ConfigDocument) -> pb.ApplyResponse:
        """Apply a document; `ignored` in the answer tells that it was not newer than what is in force."""
        request = pb.ApplyRequest(revision=document.revision, document=encode(document))
        with service_errors():
            return await self._stub().Apply(request, timeout=TIMEOUT)

    def _stub(self) -> ConfigServiceStub:
        return ConfigServiceStub(self._channel.get())
