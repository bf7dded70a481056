"""Answers over HTTP, bencoded (BEP 3, 7, 21, 23, 24, 31, 48). Keys stand in their order."""

from __future__ import annotations

import math
from socket import AF_INET, AF_INET6, inet_ntop
from typing import TYPE_CHECKING

from forebay.announcer.wire.bencode import encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forebay.announcer.swarms.figures import Candidate, Figures
    from forebay.announcer.wire.bencode import Encodable

    Sizes = tuple[int, int, int]
    """Of a swarm: complete, downloaded and incomplete."""


class AnnounceAnswers:
    """Answers to announces, all with the same intervals and tracker id."""

    def __init__(self, interval: int, min_interval: int, tracker_id: bytes) -> None:
        """Intervals in seconds. An empty tracker id is not told."""
        self._pace = b"8:intervali%de12:min intervali%de" % (interval, min_interval)
        self._end = b"10:tracker id%be" % encode(tracker_id) if tracker_id else b"e"

    def compact(self, sizes: Sizes, address: bytes, peers: bytes, peers6: bytes) -> bytes:
        """Peers of 6 octets, and of 18; the address is the client's own, as seen from here."""
        more = b"6:peers6%d:%b" % (len(peers6), peers6) if peers6 else b""
        return b"%b5:peers%d:%b%b%b" % (self._begin(sizes, address), len(peers), peers, more, self._end)

    def dictionaries(self, sizes: Sizes, address: bytes, candidates: Iterable[Candidate], *, peer_ids: bool) -> bytes:
        """The original format, both families in one list."""
        peers = encode([_dictionary(candidate, peer_ids) for candidate in candidates])
        return b"%b5:peers%b%b" % (self._begin(sizes, address), peers, self._end)

    def _begin(self, sizes: Sizes, address: bytes) -> bytes:
        complete, downloaded, incomplete = sizes
        return b"d8:completei%de10:downloadedi%de11:external ip%d:%b10:incompletei%de%b" % (
            complete,
            downloaded,
            len(address),
            address,
            incomplete,
            self._pace,
        )


def _dictionary(candidate: Candidate, peer_ids: bool) -> dict[bytes, Encodable]:
    address, port = candidate.endpoint[:-2], candidate.endpoint[-2:]
    ip = inet_ntop(AF_INET if len(address) == 4 else AF_INET6, address)
    peer: dict[bytes, Encodable] = {b"ip": ip.encode(), b"port": int.from_bytes(port)}
    if peer_ids and candidate.peer_id:
        peer[b"peer id"] = candidate.peer_id
    return peer


def scrape_answer(figures: dict[bytes, Figures]) -> bytes:
    """The figures of swarms by their info hashes."""
    files = {
        info_hash: {
            b"complete": each.complete,
            b"downloaded": each.downloaded,
            b"downloaders": each.downloaders,
            b"incomplete": each.incomplete,
        }
        for info_hash, each in figures.items()
    }
    return encode({b"files": files})


def failure_answer(reason: str, retry_after: float | None = None) -> bytes:
    """Why a request is not carried out, and in how many seconds it may be tried again.

    The interval is for clients that do not know of `retry in`, which is in minutes.
    """
    fields: dict[bytes, Encodable] = {b"failure reason": reason.encode()}
    if retry_after is not None:
        fields |= {b"interval": math.ceil(retry_after), b"retry in": minutes(retry_after)}
    return encode(fields)


def minutes(seconds: float) -> int:
    """Whole minutes, at least one."""
    return max(1, math.ceil(seconds / 60))
