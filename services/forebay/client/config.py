"""A client of ConfigService, which every service has."""

from forebay.client.channels import service_errors
from forebay.client.serviceclient import ServiceClient
from forebay.pb.config.v1 import config_pb2 as pb
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.runtime import ConfigDocument
from forebay.runtime.document import encode

TIMEOUT = 60.0
"""Seconds that a call may take."""


class ConfigClient(ServiceClient):
    """Applies configuration to a running service. All methods raise `ServiceError`."""

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
