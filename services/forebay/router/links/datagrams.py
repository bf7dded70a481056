"""Messages over UDP: sealed by a key, in fragments, of which those that are lost are asked for again.

A caller knocks, and gets a cookie that it has to show from then on, so that nobody who has recorded datagrams can open
a session by sending them once more. Messages are numbered within a session and handed out in their order.
"""

import hashlib
import hmac
import struct
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

MAGIC = b"FR1"
SEAL_OCTETS = 16
FRAGMENT_OCTETS = 1200
"""Of a message in one datagram, which then fits into every network's packets."""
MOST_FRAGMENTS = 20_000
"""Of one message: 24 MB."""
KEPT_MESSAGES = 64
"""Messages whose fragments may be asked for again."""
LACK_SECONDS = 0.05
"""Silence after which lacking fragments are asked for, and asked for again."""
SKIP_SECONDS = 3.0
"""After which a message that lacks fragments is passed over; whoever sent it sends what it said anew."""
MOST_LACKING = 500
"""Fragments that are asked for at once."""

_HEAD = struct.Struct("!3sBBQQIHH")


class Kind(IntEnum):
    """What a datagram is."""

    KNOCK = 1
    """Somebody wants to open a session."""
    COOKIE = 2
    """The answer: what has to be shown from now on."""
    DATA = 3
    """A fragment of a message."""
    LACK = 4
    """Fragments of that message have not come; an empty list: none has."""


class Datagram(NamedTuple):
    """One datagram, without its seal."""

    kind: Kind
    caller: bool
    """It is from the one who has opened the session, so that none can be sent back."""
    session: int
    """Number that the caller chose."""
    cookie: int
    sequence: int = 0
    """Number of the message within the session and its direction, from 1."""
    place: int = 0
    """Number of the fragment, from 0."""
    total: int = 0
    """Fragments of the message."""
    payload: bytes = b""


class Seal:
    """Seals datagrams by a key that both ends have, and opens them."""

    def __init__(self, key: bytes) -> None:
        """`key` is 1 to 64 octets of a secret."""
        self._key = key

    def close(self, datagram: Datagram) -> bytes:
        """As it is sent."""
        kind, caller, *numbers, payload = datagram
        content = _HEAD.pack(MAGIC, kind, caller, *numbers) + payload
        return content + self._mac(content)

    def open(self, octets: bytes) -> Datagram | None:
        """What has come; None when it is not sealed by our key."""
        content, seal = octets[:-SEAL_OCTETS], octets[-SEAL_OCTETS:]
        if len(content) < _HEAD.size or not hmac.compare_digest(self._mac(content), seal):
            return None
        magic, kind, caller, *numbers = _HEAD.unpack_from(content)
        if magic != MAGIC or kind not in Kind._value2member_map_:
            return None
        session, cookie, sequence, place, total = numbers
        return Datagram(Kind(kind), bool(caller), session, cookie, sequence, place, total, content[_HEAD.size :])

    def _mac(self, content: bytes) -> bytes:
        return hashlib.blake2b(content, key=self._key, digest_size=SEAL_OCTETS).digest()


class Sending:
    """One direction of a session, as its sender sees it."""

    def __init__(self, caller: bool, session: int, cookie: int) -> None:
        self._blank = Datagram(Kind.DATA, caller, session, cookie)
        self._next = 1
        self._kept: OrderedDict[int, list[Datagram]] = OrderedDict()

    def split(self, message: bytes) -> list[Datagram]:
        """The fragments of a message."""
        pieces = [message[place : place + FRAGMENT_OCTETS] for place in range(0, len(message), FRAGMENT_OCTETS)] or [
            b""
        ]
        fragments = [
            self._blank._replace(sequence=self._next, place=place, total=len(pieces), payload=piece)
            for place, piece in enumerate(pieces)
        ]
        self._kept[self._next] = fragments
        self._next += 1
        if len(self._kept) > KEPT_MESSAGES:
            self._kept.popitem(last=False)
        return fragments

    def again(self, lack: Datagram) -> list[Datagram]:
        """Fragments that the other side has asked for, as far as they are still here."""
        kept = self._kept.get(lack.sequence, [])
        indexes = struct.unpack(f"!{len(lack.payload) // 2}H", lack.payload[: len(lack.payload) // 2 * 2])
        return [kept[index] for index in indexes if index < len(kept)] if indexes else kept[:MOST_LACKING]


@dataclass
class _Partial:
    touched: float
    since: float
    total: int = 0
    pieces: dict[int, bytes] = field(default_factory=dict)

    def lacking(self) -> list[int]:
        return [place for place in range(self.total) if place not in self.pieces][:MOST_LACKING]


class Receiving:
    """One direction of a session, as its receiver sees it."""

    def __init__(self, caller: bool, session: int, cookie: int) -> None:
        """`caller` tells whether the other side is the caller."""
        self._blank = Datagram(Kind.LACK, not caller, session, cookie)
        self._expected = 1
        self._highest = 0
        self._partial: dict[int, _Partial] = {}
        self._whole: dict[int, bytes] = {}

    def take(self, fragment: Datagram, now: float) -> list[bytes]:
        """A fragment has come: the messages whose turn it is then."""
        sequence = fragment.sequence
        if not self._fits(fragment) or sequence in self._whole:
            return []
        for number in range(max(self._highest + 1, self._expected), sequence + 1):
            self._partial[number] = _Partial(now, now)
        self._highest = max(self._highest, sequence)
        partial = self._partial[sequence]
        partial.touched, partial.total = now, fragment.total
        partial.pieces[fragment.place] = fragment.payload
        if len(partial.pieces) < partial.total:
            return []
        self._whole[sequence] = b"".join(partial.pieces[place] for place in range(partial.total))
        del self._partial[sequence]
        return self._in_turn()

    def _fits(self, fragment: Datagram) -> bool:
        ahead = fragment.sequence - self._expected
        return 0 <= ahead < KEPT_MESSAGES and fragment.place < fragment.total <= MOST_FRAGMENTS

    def _in_turn(self) -> list[bytes]:
        found = []
        while (message := self._whole.pop(self._expected, None)) is not None:
            found.append(message)
            self._expected += 1
        return found

    def lacking(self, now: float) -> list[Datagram]:
        """What has to be asked for now."""
        found = []
        for sequence, partial in self._partial.items():
            if now - partial.touched >= LACK_SECONDS:
                partial.touched = now
                indexes = partial.lacking()
                payload = struct.pack(f"!{len(indexes)}H", *indexes)
                found.append(self._blank._replace(sequence=sequence, payload=payload))
        return found

    def skip(self, now: float) -> list[bytes]:
        """Pass over what has lacked something for too long: the messages whose turn it is then."""
        partial = self._partial.get(self._expected)
        if partial is None or now - partial.since < SKIP_SECONDS:
            return []
        del self._partial[self._expected]
        self._expected += 1
        return self._in_turn()
