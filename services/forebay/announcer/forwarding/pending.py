"""Pending jobs: who has a job for which forwarder, be it queued, scheduled or carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from forebay.announcer.forwarding.job import PendingKey

_NONE: frozenset[str] = frozenset()


class Pending:
    """The keys of all jobs, grouped by client and torrent: an announce asks about all its forwarders at once."""

    def __init__(self) -> None:
        self._forwarders: dict[tuple[bytes, bytes], set[str]] = {}
        self.count = 0
        """How many jobs there are."""

    def __contains__(self, key: PendingKey) -> bool:
        return key[1] in self.forwarders(key[0], key[2])

    def forwarders(self, info_hash: bytes, peer_id: bytes) -> AbstractSet[str]:
        """The forwarders for which this client has a job about this torrent."""
        return self._forwarders.get((info_hash, peer_id), _NONE)

    def mark(self, key: PendingKey) -> None:
        """There is a job with this key now, and was none."""
        self._forwarders.setdefault((key[0], key[2]), set()).add(key[1])
        self.count += 1

    def unmark(self, key: PendingKey) -> None:
        """The job with this key is gone."""
        client = key[0], key[2]
        forwarders = self._forwarders[client]
        forwarders.remove(key[1])
        if not forwarders:
            del self._forwarders[client]
        self.count -= 1
