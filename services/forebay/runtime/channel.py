"""Client channels: explicit limits, keepalive that our servers allow, and new certificates without a restart."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.grpcserver import MESSAGE_LIMIT, MIN_PING_SECONDS
from forebay.runtime.tls import channel_credentials

LONGEST_MEMORY = 30.0
"""Seconds for which an address of a name is held to be good, at most; so long it is with grpc by default."""


@dataclass(frozen=True)
class ChannelSettings:
    """What a channel to one of our services is like."""

    receive_limit: int = MESSAGE_LIMIT
    """Octets of a response message."""
    send_limit: int = MESSAGE_LIMIT
    """Octets of a request message."""
    keepalive: float = 30.0
    """Seconds of silence during a call after which the connection is probed; a server allows no less than 20."""
    retire: float = 30.0
    """Seconds that calls on a channel with replaced certificates have to end by themselves."""
    server_name: str = ""
    """Name that the server's certificate has to have; empty: that of the target. Needed where that is an address."""
    longest_backoff: float = 120.0
    """Seconds between two tries to connect to a server that is away, at most.

    Its name is looked up anew as often: a pod that comes back has another address.
    """

    def options(self) -> list[tuple[str, int | str]]:
        """As grpc names them. Calls go to all addresses of a name in turn, so that a headless Service spreads them."""
        named = [("grpc.ssl_target_name_override", self.server_name)] if self.server_name else []
        return [
            *named,
            # Connections are its own: a channel that is made anew connects anew.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.max_reconnect_backoff_ms", int(self.longest_backoff * 1000)),
            ("grpc.dns_min_time_between_resolutions_ms", int(min(self.longest_backoff, LONGEST_MEMORY) * 1000)),
            ("grpc.max_receive_message_length", self.receive_limit),
            ("grpc.max_send_message_length", self.send_limit),
            ("grpc.keepalive_time_ms", int(max(self.keepalive, MIN_PING_SECONDS) * 1000)),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
        ]


class ClientChannel:
    """A channel to one target that is made anew when the certificates in its folder change.

    grpc's clients cannot renew certificates by themselves (https://github.com/grpc/grpc/issues/41779). Ask for the
    channel before every call or stream instead of keeping it.
    """

    def __init__(
        self,
        target: str,
        folder: CertificateFolder | None = None,
        settings: ChannelSettings | None = None,
        interceptors: Sequence[grpc.aio.ClientInterceptor] = (),
    ) -> None:
        """`target` is as grpc names it, `dns:///host:port`; without a folder the channel is plain text."""
        self.target = target
        self._folder = folder
        self._settings = settings or ChannelSettings()
        self._interceptors = list(interceptors)
        self._retiring: set[asyncio.Task[None]] = set()
        self._certificates = folder.current if folder else None
        self._channel = self._make()

    def get(self) -> grpc.aio.Channel:
        """The channel for the next call."""
        if self._folder is not None:
            self._folder.refresh()
            if self._folder.current is not self._certificates:
                self._certificates = self._folder.current
                self.renew()
        return self._channel

    def renew(self) -> None:
        """Have the next call connect anew, to where the name of the target leads by now. Others may end by themselves.

        To be called within a running event loop.
        """
        task = asyncio.get_running_loop().create_task(self._channel.close(self._settings.retire))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)
        self._channel = self._make()

    def _make(self) -> grpc.aio.Channel:
        options = self._settings.options()
        if self._certificates is None:
            return grpc.aio.insecure_channel(self.target, options, interceptors=self._interceptors)
        credentials = channel_credentials(self._certificates)
        return grpc.aio.secure_channel(self.target, credentials, options, interceptors=self._interceptors)

    async def close(self) -> None:
        """End all calls and connections now."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        await self._channel.close()
