"""How a connection ended: a word for programs, a sentence for people."""

from enum import StrEnum
from typing import NamedTuple


class Cause(StrEnum):
    """Why a connection ended, or was never made."""

    WANTED = "WANTED"
    """We had no more use for it."""
    CONNECT_FAILED = "CONNECT_FAILED"
    """Its host is not known, not there, or takes no connection."""
    CONNECTION_LOST = "CONNECTION_LOST"
    """The peer closed it, or it broke."""
    TIMEOUT = "TIMEOUT"
    """The peer said nothing for too long."""
    TLS_FAILED = "TLS_FAILED"
    """The connection could not be secured, or the peer's certificate is not believed."""
    AUTH_FAILED = "AUTH_FAILED"
    """The peer asks for a login, or does not accept ours."""
    REFUSED = "REFUSED"
    """The peer turned us away."""
    PROTOCOL_ERROR = "PROTOCOL_ERROR"
    """The peer sent what no news server should."""
    ARTICLES_FAILED = "ARTICLES_FAILED"
    """The peer answered nothing but errors about articles."""


class Ending(NamedTuple):
    """The end of a connection."""

    cause: Cause
    reason: str
    """What happened, with the peer's own words where it said something."""
