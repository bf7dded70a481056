"""Tracker ids: what a tracker wants to be sent back with the next announce of a torrent."""

from collections import OrderedDict

_Key = tuple[str, bytes]


class TrackerIds:
    """The last id by tracker and torrent; of more than `capacity` the one unused for longest is forgotten."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._capacity = capacity
        self._ids: OrderedDict[_Key, bytes] = OrderedDict()

    def get(self, url: str, info_hash: bytes) -> bytes:
        """The id to send; empty when there is none."""
        key = url, info_hash
        if key not in self._ids:
            return b""
        self._ids.move_to_end(key)
        return self._ids[key]

    def keep(self, url: str, info_hash: bytes, tracker_id: bytes | None) -> None:
        """Remember what the tracker said; when it said nothing, the one before stays."""
        if not tracker_id:
            return
        self._ids[url, info_hash] = tracker_id
        self._ids.move_to_end((url, info_hash))
        if len(self._ids) > self._capacity:
            self._ids.popitem(last=False)
