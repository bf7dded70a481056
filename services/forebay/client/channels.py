"""Channels of the clients."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grpc.aio import AioRpcError

from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel, from_rpc_error, parse_address


@dataclass(frozen=True)
class PromptSettings(ChannelSettings):
    """A channel that notices soon when a service is back."""

    def options(self) -> list[tuple[str, int | str]]:
        """As grpc names them. Its own waits would go up to two minutes."""
        return [
            *super().options(),
            ("grpc.initial_reconnect_backoff_ms", 200),
            ("grpc.min_reconnect_backoff_ms", 200),
            ("grpc.max_reconnect_backoff_ms", 3000),
        ]


def open_channel(address: str, tls: Path | None = None) -> ClientChannel:
    """A channel to `host:port` or `unix:/path`, over TLS with the certificates of a folder if one is given.

    Raises `AddressError` or `CertificateError`.
    """
    where = parse_address(address)
    target = str(where) if where.is_unix else f"dns:///{where}"
    return ClientChannel(target, CertificateFolder(tls) if tls else None, PromptSettings())


@contextmanager
def service_errors() -> Iterator[None]:
    """Turns what gRPC raises into the `ServiceError` that it stands for."""
    try:
        yield
    except AioRpcError as error:
        raise from_rpc_error(error) from error
