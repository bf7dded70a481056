"""A tracker's answer over HTTP: a bencoded dictionary, of BEP 3, 7, 23 and 31."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from forebay.announcer.errors import BencodeError
from forebay.announcer.forwarding.interval import announce_interval
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure, Outcome
from forebay.announcer.forwarding.retry import NEVER, retry_wait
from forebay.announcer.upstream.peeroctets import PeerOctets, from_compact, from_dictionaries
from forebay.announcer.wire.bencode import decode

LONGEST_REASON = 200
"""Characters of a tracker's own words that are kept."""
LONGEST_TRACKER_ID = 256
"""Octets of a tracker id; longer ones are ignored."""


class Reading(NamedTuple):
    """What an answer says."""

    outcome: Outcome
    tracker_id: bytes | None = None
    """What the tracker wants to be sent with the next request; none: it said nothing of it."""


def read_answer(body: bytes) -> Reading:
    """Read the body of an answer. What cannot be read is a failure, too."""
    try:
        fields = decode(body)
    except BencodeError as error:
        return Reading(Failure(Cause.BAD_ANSWER, f"the answer is not bencoded: {error}"))
    if not isinstance(fields, dict):
        return Reading(Failure(Cause.BAD_ANSWER, "the answer is no dictionary"))
    if b"failure reason" in fields:
        return Reading(_failure(fields))
    peers, peers6 = _peers(fields)
    answer = Answer(
        interval=announce_interval(fields.get(b"interval"), fields.get(b"min interval")),
        peers=peers,
        peers6=peers6,
        complete=_count(fields.get(b"complete")),
        incomplete=_count(fields.get(b"incomplete")),
    )
    return Reading(answer, _tracker_id(fields))


def plain(text: object) -> str:
    """A tracker's own words on one line, cut where they are long."""
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return "".join(letter if letter.isprintable() else " " for letter in words)[:LONGEST_REASON]


def _failure(fields: dict[bytes, Any]) -> Failure:
    reason = plain(fields[b"failure reason"]) or "failure without a reason"
    wait = retry_wait(fields.get(b"retry in"))
    if wait == NEVER:
        return Failure(Cause.RETRY_NEVER, reason, math.inf)
    if wait is None and b"interval" in fields:
        # A tracker that fails and tells an interval is left alone for so long.
        wait = announce_interval(fields[b"interval"], fields.get(b"min interval"))
    return Failure(Cause.FAILURE_REASON, reason, wait)


def _peers(fields: dict[bytes, Any]) -> PeerOctets:
    peers, peers6 = fields.get(b"peers"), fields.get(b"peers6")
    peers6 = peers6 if isinstance(peers6, bytes) else b""
    if isinstance(peers, list):
        return from_dictionaries(peers, peers6)
    return from_compact(peers if isinstance(peers, bytes) else b"", peers6)


def _count(value: object) -> int | None:
    """A number of peers, if it can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _tracker_id(fields: dict[bytes, Any]) -> bytes | None:
    value = fields.get(b"tracker id")
    return value if isinstance(value, bytes) and len(value) <= LONGEST_TRACKER_ID else None
