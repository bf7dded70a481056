"""Datagrams are sealed as they leave a node, and opened as they come: with a key that all its peers share.

A node with keys takes nothing that is not sealed, so a peer without them gets no session, and nobody else can end or
renew one. What only one peer may take is sealed for its id. Keys are told apart by ids: to change the key, give all
nodes the new one beside the old one, then let all seal with the new one, then take the old one away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.authentication import OWN, STREAM_SIZE, Opener, Refused, Sealer, check_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

MICROSECONDS = 1_000_000
MOST_KEYS = 16


@dataclass(frozen=True)
class Authentication:
    """The keys of a node. They are in no text that is made of it."""

    keys: Mapping[int, bytes] = field(repr=False)
    """By their ids, 0 to 255: each 16 to 64 random octets. Datagrams sealed with any of them are taken."""
    key_id: int
    """Which one seals."""
    wall_clock: Callable[[], float] = field(repr=False)
    """Seconds since the epoch, as `time.time`: stamps of datagrams tell old records from new ones."""
    tolerance: float = 30.0
    """Seconds by which the clocks of nodes may differ, and a datagram may be late."""
    most_senders: int = 1024
    """Senders whose stamps are remembered, among them those that have restarted within the tolerance."""

    def __post_init__(self) -> None:
        check_keys(self.keys, self.key_id)
        if not 0 < self.tolerance <= 3600:
            raise SettingError(f"tolerance is {self.tolerance}: take more than 0 and at most 3600 seconds")
        if not 1 <= self.most_senders <= 1 << 20:
            raise SettingError(f"most_senders is {self.most_senders}: take 1 to {1 << 20}")


def check_keys(keys: Mapping[int, bytes], key_id: int) -> None:
    """Raises `SettingError`."""
    for each, key in keys.items():
        check_key(each, key)
    if len(keys) > MOST_KEYS:
        raise SettingError(f"there are {len(keys)} keys: take at most {MOST_KEYS}")
    if key_id not in keys:
        raise SettingError(f"key_id is {key_id}, and there is no such key: take one of {sorted(keys)}")


class Sealing:
    """One node's. Any thread may seal and open."""

    def __init__(self, settings: Authentication, own_id: bytes, random: Random) -> None:
        self.refused: Counter[str] = Counter()
        """Datagrams that were not let in, by the reason; but for the node's own, which a group sends back."""
        self._clock = settings.wall_clock
        self._busy = Lock()
        stream = random.randbytes(STREAM_SIZE)
        self._sealer = Sealer(settings.key_id, settings.keys[settings.key_id], stream)
        tolerance = int(settings.tolerance * MICROSECONDS)
        self._opener = Opener(dict(settings.keys), own_id, stream, tolerance, settings.most_senders)

    def seal(self, datagram: bytes, receiver: bytes) -> bytes:
        """A datagram for the peer of that id; empty: for any."""
        now = self._now()
        with self._busy:
            return self._sealer.seal(datagram, receiver, now)

    def open(self, datagram: bytes) -> bytes | Refused:
        """What is in a datagram."""
        now = self._now()
        with self._busy:
            opened = self._opener.open(datagram, now)
            if isinstance(opened, Refused) and opened is not OWN:
                self.refused[opened.reason] += 1
        return opened

    def rotate(self, keys: Mapping[int, bytes], key_id: int) -> None:
        """Take these keys from now on. Raises `SettingError`."""
        check_keys(keys, key_id)
        with self._busy:
            self._sealer.change(key_id, keys[key_id])
            self._opener.change(dict(keys))

    def _now(self) -> int:
        return int(self._clock() * MICROSECONDS)
