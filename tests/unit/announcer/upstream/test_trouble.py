"""Trouble with connections."""

import errno
import socket

import pytest

from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.upstream.trouble import connection_failure


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), Cause.CONNECTION_REFUSED),
        (OSError(errno.EHOSTUNREACH, "no route"), Cause.NO_ROUTE),
        (OSError(errno.ENETUNREACH, "unreachable"), Cause.NO_ROUTE),
        (TimeoutError(errno.ETIMEDOUT, "timed out"), Cause.TIMEOUT),
        (ConnectionResetError(errno.ECONNRESET, "reset"), Cause.CONNECTION_LOST),
        (OSError("no number"), Cause.CONNECTION_LOST),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), Cause.NAME_UNKNOWN),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), Cause.NAME_SERVER_AWAY),
    ],
    ids=str,
)
def test_causes(error, cause):
    assert connection_failure(error).cause is cause


def test_the_reason_is_for_people():
    assert (
        connection_failure(OSError(errno.EHOSTUNREACH, "No route to host")).reason == "no connection: No route to host"
    )
