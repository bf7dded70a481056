"""Channels of the clients."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grpc.aio import AioRpcError

from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel, from_rpc_error, parse_address
from forebay.runtime.cutcalls import cancellable
from forebay.runtime.grpcserver import MESSAGE_LIMIT


@dataclass(frozen=True)
class PromptSettings(ChannelSettings):
    """A channel that notices soon when a service is back."""

    longest_backoff: float = 3.0
    """Seconds between two tries to connect to a server that is away, at most."""

    def options(self) -> list[tuple[str, int | str]]:
        """As grpc names them."""
        return [
            *super().options(),
            ("grpc.initial_reconnect_backoff_ms", 200),
            # Also how long a connection may take to be made: TLS with a busy service needs more than a moment.
            ("grpc.min_reconnect_backoff_ms", 5000),
        ]


def open_channel(address: str, tls: Path | None = None, limit: int = MESSAGE_LIMIT) -> ClientChannel:
    """A channel to `host:port` or `unix:/path`, over TLS with the certificates of a folder if one is given.

    `limit` is what a gRPC message may have, in octets, either way.

    `name@host:port` is for the way through a tunnel: the certificate of the service has to have this name, whatever the
    host. Raises `AddressError` or `CertificateError`.
    """
    name, _, place = ("", "", address) if address.startswith("unix:") else address.rpartition("@")
    where = parse_address(place)
    target = str(where) if where.is_unix else f"dns:///{where}"
    settings = PromptSettings(server_name=name, receive_limit=limit, send_limit=limit)
    return ClientChannel(target, CertificateFolder(tls) if tls else None, settings)


@contextmanager
def service_errors() -> Iterator[None]:
    """Turns what gRPC raises into the `ServiceError` that it stands for; who is cancelled stays so."""
    try:
        with cancellable():
            yield
    except AioRpcError as error:
        raise from_rpc_error(error) from error
