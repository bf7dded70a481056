"""Commands of a streaming feed (RFC 4644) built in bulk, and the replies that most of them get."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.msgstore.disk import Buffer

LARGE = 32 * 1024
"""Octets from which on a body goes to the kernel from where it lies; copying smaller ones together is cheaper."""


def checks(message_ids: Sequence[bytes]) -> bytes:
    """CHECK of each; at least one."""
    return b"CHECK " + b"\r\nCHECK ".join(message_ids) + b"\r\n"


def takethises(message_ids: Sequence[bytes], bodies: Sequence[Buffer]) -> list[Buffer]:
    """TAKETHIS of each with its body, as few buffers of which none is copied when it is large."""
    parts: list[Buffer] = [b"\r\n"] * (4 * len(message_ids))
    parts[0::4] = [b"TAKETHIS "] * len(message_ids)
    parts[1::4] = message_ids
    parts[3::4] = bodies
    return [b"".join(parts)] if max(map(len, bodies)) < LARGE else _gather(parts)


def replies(code: bytes, message_ids: Sequence[bytes]) -> bytes:
    """The bare reply `code` to each; at least one."""
    return code + b" " + (b"\r\n" + code + b" ").join(message_ids) + b"\r\n"


def _gather(parts: list[Buffer]) -> list[Buffer]:
    gathered: list[Buffer] = []
    small: list[Buffer] = []
    for part in parts:
        if len(part) < LARGE:
            small.append(part)
        else:
            gathered += (b"".join(small), part)
            small = []
    return [*gathered, b"".join(small)] if small else gathered
