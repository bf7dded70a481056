"""Tokens: what stands for an article in queues, spill streams and on connections. A token never holds a body."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from struct import Struct
from typing import NamedTuple

from forebay.feedlog.messagekey import message_key as message_key

_HEAD = Struct(">QQIH")
MAX_TRIES = 0xFFFF


class Token(NamedTuple):
    """One article as one peer's queue knows it."""

    message_id: bytes
    """With its angle brackets."""
    key: bytes
    """16 octets made of the message-id: the name of the body in the message store, and of the article in history."""
    seq: int
    """Position in the feed log."""
    arrival: int
    """Milliseconds since the epoch."""
    size: int
    """Octets in wire form: dots doubled, with the terminating dot."""
    tries: int
    """How often a peer has put it off or failed on it."""

    def encode(self) -> bytes:
        """The token as an entry of a spill stream; the key is left out, for the message-id yields it."""
        return _HEAD.pack(self.seq, self.arrival, self.size, min(self.tries, MAX_TRIES)) + self.message_id

    def again(self) -> "Token":
        """The same article after one more try."""
        return self._replace(tries=self.tries + 1)


_token: Callable[[Iterable[object]], Token] = partial(tuple.__new__, Token)
"""A token of its fields; the constructor of a named tuple is Python code, which takes three times as long."""


def decode(entry: bytes) -> Token:
    """Read an entry of a spill stream.

    Raises `ValueError` when it is shorter than a token.
    """
    if len(entry) <= _HEAD.size:
        raise ValueError(f"spill entry of {len(entry)} octets is no token: it needs more than {_HEAD.size}")
    seq, arrival, size, tries = _HEAD.unpack_from(entry)
    message_id = entry[_HEAD.size :]
    return Token(message_id, message_key(message_id), seq, arrival, size, tries)


def decode_all(entries: Sequence[bytes]) -> list[Token]:
    """As `decode` for many, at a third of the cost.

    Raises `ValueError` when any of them is shorter than a token.
    """
    if not entries:
        return []
    if min(map(len, entries)) <= _HEAD.size:
        raise ValueError(f"a spill entry of no more than {_HEAD.size} octets is no token")
    message_ids = [entry[_HEAD.size :] for entry in entries]
    columns = zip(*map(_HEAD.unpack_from, entries), strict=True)
    return list(map(_token, zip(message_ids, map(message_key, message_ids), *columns, strict=True)))
