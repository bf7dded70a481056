"""What the clients of all services have in common: a channel, from `connect` to `close`."""

from pathlib import Path
from typing import ClassVar, Self

from forebay.client.channels import open_channel
from forebay.runtime import ClientChannel
from forebay.runtime.closing import Closing
from forebay.runtime.grpcserver import MESSAGE_LIMIT


class ServiceClient(Closing):
    """Made within a running event loop, and used within `async with`."""

    message_limit: ClassVar[int] = MESSAGE_LIMIT
    """Octets that a gRPC message may have, either way."""

    def __init__(self, channel: ClientChannel) -> None:
        """The channel is the client's from now on, and closed with it."""
        self._channel = channel

    @classmethod
    def connect(cls, address: str, tls: Path | None = None) -> Self:
        """A client for `host:port` or `unix:/path`; `tls` is a folder with tls.crt, tls.key and ca.crt.

        A connection is made when it is needed. Raises `AddressError` or `CertificateError`.
        """
        return cls(open_channel(address, tls, cls.message_limit))

    async def close(self) -> None:
        """End all calls and connections."""
        await self._channel.close()
