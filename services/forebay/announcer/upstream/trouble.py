"""Trouble with a connection as a failure with its cause."""

from __future__ import annotations

import errno
import socket

from forebay.announcer.forwarding.outcome import Cause, Failure

_CAUSES = {
    errno.ECONNREFUSED: Cause.CONNECTION_REFUSED,
    errno.EHOSTUNREACH: Cause.NO_ROUTE,
    errno.ENETUNREACH: Cause.NO_ROUTE,
    errno.EHOSTDOWN: Cause.NO_ROUTE,
    errno.ENETDOWN: Cause.NO_ROUTE,
    errno.ETIMEDOUT: Cause.TIMEOUT,
}


def connection_failure(error: OSError) -> Failure:
    """What an error of the operating system says about a tracker."""
    if isinstance(error, socket.gaierror):
        # No name server that answers is our trouble, not the tracker's: it says nothing about it.
        away = error.errno == socket.EAI_AGAIN
        cause = Cause.NAME_SERVER_AWAY if away else Cause.NAME_UNKNOWN
        return Failure(cause, f"its name cannot be resolved: {error.strerror or error}")
    cause = _CAUSES.get(error.errno or 0, Cause.CONNECTION_LOST)
    return Failure(cause, f"no connection: {error.strerror or error}")
