"""TLS towards a peer: from the first octet (RFC 8143), or after STARTTLS (RFC 4642)."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How the peer proves who it is."""

    starttls: bool = False
    """The connection begins in clear and is secured by STARTTLS; else TLS comes first."""
    server_name: str = ""
    """Name in the peer's certificate; empty: that of the host."""
    authorities: str = ""
    """PEM of those whose certificates are believed; empty: those that the system believes."""
    verify: bool = True
    """Without it any certificate will do, so that only listeners are kept out."""


@lru_cache(64)
def context_of(settings: TlsSettings) -> ssl.SSLContext:
    """What a connection is secured with. Raises `ValueError` where the authorities are no certificates."""
    try:
        context = ssl.create_default_context(cadata=settings.authorities or None)
    except (ssl.SSLError, ValueError) as error:
        raise ValueError("is no certificate in PEM") from error
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
