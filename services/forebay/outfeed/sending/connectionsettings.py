"""How one connection behaves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forebay.outfeed.sending.dialling import NetworkSettings
from forebay.outfeed.sending.handshake import Wishes
from forebay.outfeed.sending.nocheck import NoCheckSettings

if TYPE_CHECKING:
    from forebay.outfeed.sending.login import Login
    from forebay.outfeed.sending.peertls import TlsSettings


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """How one connection behaves; times in seconds."""

    window: int = 100
    """Articles that may be on the connection without an answer, at least 1."""
    connect_timeout: float = 10.0
    """Until the TCP connection is there, name resolution included."""
    response_timeout: float = 300.0
    """How long a peer that owes an answer may be silent."""
    idle_timeout: float = 60.0
    """How long the connection is kept while there is nothing to send."""
    lifetime: float = math.inf
    """How long the connection may last; then it runs empty and ends, so that the next one looks the name up anew."""
    network: NetworkSettings = field(default_factory=NetworkSettings)
    """How the connection is made on our side."""
    tls: TlsSettings | None = None
    """How the connection is secured; None leaves it in clear."""
    compress: bool = False
    """Whether COMPRESS DEFLATE is tried."""
    streaming: bool = True
    """Whether MODE STREAM is tried; without it, and where the peer declines, articles go by IHAVE."""
    headfeed: bool = False
    """MODE HEADFEED is said: articles come without their bodies. A peer that declines is not fed."""
    nocheck: NoCheckSettings = field(default_factory=NoCheckSettings)
    """When CHECK is skipped."""

    def wishes(self, login: Login | None) -> Wishes:
        """What is asked of the peer before the first article."""
        starttls = self.tls is not None and self.tls.starttls
        return Wishes(starttls, login, self.compress, self.streaming, self.headfeed)
