"""A keyed hash for datagrams between nodes that share a key: what others made, changed, sent again or back is refused.

    sealed datagram = id and flag 1 | key 1 | stream 8 | stamp 8 | hash 16 | datagram

The stream is a random number that a sender takes at its start. Stamps are microseconds since the epoch and grow with
every datagram of a stream. The hash is BLAKE2b over all of it but itself, with the id of the peer that it is for
between stamp and datagram; of a multicast datagram, or one to a peer whose id is not known yet, that is empty.

A stream is known as long as its last stamp is fresh, so an old record that is played again is either of a known stream
and repeated, or not fresh: clocks of the nodes may differ by the tolerance, no more.
"""

from __future__ import annotations

from collections import deque
from hashlib import blake2b
from hmac import compare_digest
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.header import ID_MASK, SEALED, O

if TYPE_CHECKING:
    from collections.abc import Mapping

HASH_SIZE: Final = 16
STREAM_SIZE: Final = 8
KEY_IDS: Final = range(256)
KEY_SIZES: Final = range(16, 65)
"""Octets that a key may have."""
_HEAD = Struct(">BB8sQ")
OVERHEAD: Final = _HEAD.size + HASH_SIZE
"""Octets by which a sealed datagram is longer."""
REMEMBERED: Final = 1024
"""Stamps of a stream that are told apart; a datagram that comes later than so many that followed it is refused."""


class Refused(NamedTuple):
    """Why a datagram was not let in."""

    reason: str
    """For people, and short: one of a few."""


NOT_SEALED: Final = Refused("not sealed")
UNKNOWN_KEY: Final = Refused("sealed with an unknown key")
WRONG_HASH: Final = Refused("its hash is wrong")
OWN: Final = Refused("this node's own, sent back")
NOT_FRESH: Final = Refused("its stamp is too far from this node's time")
REPEATED: Final = Refused("repeated, or far too late")
TOO_MANY: Final = Refused("too many streams")


def check_key(key_id: int, key: bytes) -> None:
    """Raise `SettingError` unless the key can be used."""
    if key_id not in KEY_IDS:
        raise SettingError(f"the id of a key is {key_id}: take 0 to 255")
    if len(key) not in KEY_SIZES:
        raise SettingError(f"key {key_id} has {len(key)} octets: take 16 to 64 random ones")


class Sealer:
    """Seals what one node sends. Not for threads."""

    __slots__ = ("_key", "_key_id", "_last", "stream")

    def __init__(self, key_id: int, key: bytes, stream: bytes) -> None:
        """`key_id` is 0 to 255, `stream` 8 random octets."""
        self._key_id = key_id
        self._key = key
        self._last = 0
        self.stream = stream

    def change(self, key_id: int, key: bytes) -> None:
        """Seal with another key."""
        self._key_id = key_id
        self._key = key

    def seal(self, datagram: bytes, receiver: bytes, now: int) -> bytes:
        """A datagram for the peer with that id, empty for all; `now` is in microseconds since the epoch."""
        self._last = stamp = max(now, self._last + 1)
        head = _HEAD.pack(SEALED | O * bool(receiver), self._key_id, self.stream, stamp)
        return head + _hash(self._key, head, receiver, datagram) + datagram


class _Stream:
    """Stamps that came from one sender since its start."""

    __slots__ = ("_floor", "_order", "_seen", "newest")

    def __init__(self) -> None:
        self._floor = 0
        self._order: deque[int] = deque()
        self._seen: set[int] = set()
        self.newest = 0

    def take(self, stamp: int) -> bool:
        """Whether it came for the first time."""
        if stamp <= self._floor or stamp in self._seen:
            return False
        self._seen.add(stamp)
        self._order.append(stamp)
        self.newest = max(self.newest, stamp)
        if len(self._order) > REMEMBERED:
            forgotten = self._order.popleft()
            self._seen.remove(forgotten)
            self._floor = max(self._floor, forgotten)
        return True


class Opener:
    """Opens what comes to one node."""

    __slots__ = ("_keys", "_limit", "_own_id", "_own_stream", "_streams", "_tolerance")

    def __init__(
        self,
        keys: Mapping[int, bytes],
        own_id: bytes,
        own_stream: bytes,
        tolerance: int = 30_000_000,
        limit: int = 1024,
    ) -> None:
        """`keys` by their ids, two while one takes the place of another; `tolerance` of stamps in microseconds; `limit`
        of streams that are known at a time.
        """
        self._keys = keys
        self._own_id = own_id
        self._own_stream = own_stream
        self._tolerance = tolerance
        self._limit = limit
        self._streams: dict[bytes, _Stream] = {}

    def change(self, keys: Mapping[int, bytes]) -> None:
        """Take other keys; what came already is not taken again."""
        self._keys = keys

    def open(self, sealed: bytes, now: int) -> bytes | Refused:
        """The datagram in it; `now` is in microseconds since the epoch."""
        if len(sealed) < OVERHEAD or sealed[0] & ID_MASK != SEALED:
            return NOT_SEALED
        flags, key_id, stream, stamp = _HEAD.unpack_from(sealed)
        key = self._keys.get(key_id)
        if key is None:
            return UNKNOWN_KEY
        datagram = sealed[OVERHEAD:]
        expected = _hash(key, sealed[: _HEAD.size], self._own_id if flags & O else b"", datagram)
        if not compare_digest(expected, sealed[_HEAD.size : OVERHEAD]):
            return WRONG_HASH
        return self._refusal(stream, stamp, now) or datagram

    def _refusal(self, stream: bytes, stamp: int, now: int) -> Refused | None:
        """Why a datagram with a good hash is not let in after all."""
        if stream == self._own_stream:
            return OWN
        if abs(stamp - now) > self._tolerance:
            return NOT_FRESH
        known = self._streams.get(stream)
        if known is None:
            if len(self._streams) >= self._limit and not self._forget(now):
                return TOO_MANY
            known = self._streams[stream] = _Stream()
        return None if known.take(stamp) else REPEATED

    def _forget(self, now: int) -> bool:
        """Drop streams whose stamps are all too old to be taken again; whether there were any."""
        stale = [stream for stream, known in self._streams.items() if now - known.newest > self._tolerance]
        for stream in stale:
            del self._streams[stream]
        return bool(stale)


def _hash(key: bytes, head: bytes, receiver: bytes, datagram: bytes) -> bytes:
    made = blake2b(head, key=key, digest_size=HASH_SIZE, person=b"forebay conduit")
    made.update(bytes((len(receiver),)) + receiver)
    made.update(datagram)
    return made.digest()
