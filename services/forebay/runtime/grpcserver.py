"""Making a grpc.aio server with every limit explicit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from forebay.runtime.address import check_plaintext, parse_address
from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.errors import AddressError
from forebay.runtime.interceptor import DeadlineSettings
from forebay.runtime.tls import server_credentials

MESSAGE_LIMIT = 16 * 1024 * 1024
"""Octets of a message, either way, unless set."""
LARGE_MESSAGE_LIMIT = 65 * 1024 * 1024
"""The same where one message of ours may hold 64 MiB of a user's, and an envelope."""
MIN_PING_SECONDS = 20
"""Keepalive pings of clients closer than this end their connection."""


@dataclass(frozen=True)
class GrpcSettings:
    """The gRPC server of a service."""

    listen: str = "127.0.0.1:0"
    """Address; port 0 lets the system choose."""
    tls: Path | None = None
    """Folder with tls.crt, tls.key and ca.crt: mutual TLS. None: plain text."""
    insecure: bool = False
    """Allows plain text beyond loopback."""
    reflection: bool = False
    """Tells callers which methods there are; under the access rules like every method."""
    receive_limit: int = MESSAGE_LIMIT
    """Octets of a request message."""
    send_limit: int = MESSAGE_LIMIT
    """Octets of a response message."""
    concurrent_calls: int = 1000
    """Calls at once, streams included; more are answered RESOURCE_EXHAUSTED."""
    connection_age: float = 3600.0
    """Seconds after which a connection is asked to end, so that load spreads over new pods."""
    connection_age_grace: float = 300.0
    """Seconds that the calls of such a connection still have."""
    keepalive: float = 60.0
    """Seconds of silence after which the server probes a connection."""
    keepalive_timeout: float = 20.0
    """Seconds that the answer to a probe may take before the connection counts as dead."""
    deadlines: DeadlineSettings = field(default_factory=DeadlineSettings)

    def options(self) -> list[tuple[str, int]]:
        """As grpc names them."""
        return [
            ("grpc.max_receive_message_length", self.receive_limit),
            ("grpc.max_send_message_length", self.send_limit),
            ("grpc.max_connection_age_ms", int(self.connection_age * 1000)),
            ("grpc.max_connection_age_grace_ms", int(self.connection_age_grace * 1000)),
            ("grpc.keepalive_time_ms", int(self.keepalive * 1000)),
            ("grpc.keepalive_timeout_ms", int(self.keepalive_timeout * 1000)),
            ("grpc.http2.min_ping_interval_without_data_ms", MIN_PING_SECONDS * 1000),
            ("grpc.keepalive_permit_without_calls", 1),
            # Otherwise a second process on the same port would silently take half of the connections.
            ("grpc.so_reuseport", 0),
        ]


def make_server(settings: GrpcSettings, interceptors: Sequence[grpc.aio.ServerInterceptor]) -> grpc.aio.Server:
    """A server that does not listen yet."""
    return grpc.aio.server(
        interceptors=interceptors,
        options=settings.options(),
        maximum_concurrent_rpcs=settings.concurrent_calls,
    )


def bind(server: grpc.aio.Server, settings: GrpcSettings, folder: CertificateFolder | None) -> int:
    """Listen where the settings say, with TLS if there is a folder; the port.

    Raises `AddressError` when the address cannot be used, `InsecureBindError` when it would be open in plain text.
    """
    address = parse_address(settings.listen)
    if folder is None:
        check_plaintext(address, settings.insecure)
    try:
        if folder is None:
            return server.add_insecure_port(str(address))
        return server.add_secure_port(str(address), server_credentials(folder))
    except RuntimeError as error:
        raise AddressError(f"cannot listen on {address}: is it taken by another process, or not ours?") from error
