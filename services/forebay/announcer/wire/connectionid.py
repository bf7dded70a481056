"""Connection ids (BEP 15): they prove that a client receives what is sent to its address. Nothing is kept of them.

An id is the time at which it was made and a keyed hash of that time and the address. The port is left out: clients
keep an id for all their sockets.
"""

from hashlib import blake2s
from hmac import compare_digest

LIFE = 120
"""Seconds for which an id is good; clients use it for 60."""

_TIME = 2
_HASH = 6
_ROUND = 1 << (8 * _TIME)


class ConnectionIds:
    """Makes ids and knows its own again. Times are monotonic seconds."""

    def __init__(self, secret: bytes) -> None:
        """`secret`: 16 to 32 random octets; another one makes all ids invalid."""
        self._hash = blake2s(key=secret, digest_size=_HASH)
        self._second = 0
        self._proven: dict[bytes, bytes] = {}

    def make(self, address: bytes, now: float) -> bytes:
        """An id of 8 octets for an address."""
        second = int(now)
        return (second % _ROUND).to_bytes(_TIME) + self._sign(address, second)

    def is_valid(self, connection_id: bytes, address: bytes, now: float) -> bool:
        """Whether this id was made for this address within `LIFE`."""
        second = int(now)
        if second != self._second:
            self._second = second
            self._proven.clear()
        # A client with many torrents shows its id many times in a row.
        if self._proven.get(connection_id) == address:
            return True
        age = (second - int.from_bytes(connection_id[:_TIME])) % _ROUND
        if age > LIFE or not compare_digest(connection_id[_TIME:], self._sign(address, second - age)):
            return False
        self._proven[connection_id] = address
        return True

    def _sign(self, address: bytes, second: int) -> bytes:
        signing = self._hash.copy()
        signing.update(second.to_bytes(8, signed=True) + address)
        return signing.digest()
