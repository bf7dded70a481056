"""Dialling: a TCP connection to a host, made as the settings of the network say."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from dataclasses import dataclass

SO_MAX_PACING_RATE = 47
"""Of Linux; Python has no name for it."""


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How connections are made on this side."""

    sources: tuple[str, ...] = ()
    """Addresses of ours that they come from, at most one of each family; of a family without one the kernel chooses."""
    family: int = socket.AF_UNSPEC
    """AF_INET or AF_INET6, where only that is used."""
    pacing_rate: int | None = None
    """Octets a second that the kernel sends on one connection at most; None sets no limit."""
    congestion_control: str = ""
    """Algorithm of the kernel; empty leaves its default."""
    send_buffer: int | None = None
    """Octets that the kernel keeps for sending; None leaves its default."""
    dscp: int | None = None
    """Differentiated services code point (RFC 2474) of all packets; None leaves the kernel's default."""

    def source_of(self, family: int) -> str | None:
        """The address that connections of a family come from."""
        return next((source for source in self.sources if (":" in source) == (family == socket.AF_INET6)), None)


async def dial(host: str, port: int, settings: NetworkSettings) -> socket.socket:
    """A connected socket to the first address of a host that takes the connection.

    The name is looked up each time. Raises `OSError` of the first address, or `UnicodeError` for what is no host name.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, family=settings.family, type=socket.SOCK_STREAM)
    failure: OSError | None = None
    for family, kind, protocol, _, address in found:
        connection = socket.socket(family, kind, protocol)
        try:
            _prepare(connection, settings)
            await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            failure = failure or _plain(error)
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure or OSError(f"{host} has no address")


def _plain(error: OSError) -> OSError:
    """The error in the system's words, whatever event loop it came from."""
    return OSError(error.errno, os.strerror(error.errno)) if error.errno else error


def _prepare(connection: socket.socket, settings: NetworkSettings) -> None:
    connection.setblocking(False)
    with suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if settings.send_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, settings.send_buffer)
    if settings.pacing_rate is not None:
        connection.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, settings.pacing_rate.to_bytes(8, "little"))
    if settings.dscp is not None:
        _mark(connection, settings.dscp)
    if settings.congestion_control:
        _choose_algorithm(connection, settings.congestion_control)
    if source := settings.source_of(connection.family):
        connection.bind((source, 0))


def _mark(connection: socket.socket, dscp: int) -> None:
    """The two bits below the code point are the kernel's, for congestion notification (RFC 3168)."""
    if connection.family == socket.AF_INET6:
        connection.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)
    else:
        connection.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)


def _choose_algorithm(connection: socket.socket, name: str) -> None:
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
    except OSError as error:
        raise OSError(f"the kernel does not have or allow the congestion control {name}") from error
