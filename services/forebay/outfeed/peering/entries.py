"""Entries of a peer's streams as tokens."""

import structlog

from forebay.outfeed.token import Token, decode

log = structlog.stdlib.get_logger(__name__)


def read_token(data: bytes) -> Token | None:
    """The token in an entry; None, and a line in the log, when it is none."""
    try:
        return decode(data)
    except ValueError as error:
        log.error("an entry of the backlog is left out", reason=str(error))
        return None
