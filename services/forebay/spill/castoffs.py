"""Castoffs: entries that compactions have dropped, for the owner's service to release what they stand for."""

from forebay.spill import scripts
from forebay.spill.desk import Desk
from forebay.spill.limits import Dropped
from forebay.spill.staging import LUMP


class Castoffs:
    """Told in order, oldest compaction first, and deleted afterwards."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: set[int] = set()
        """Streams that were read to their end."""
        self._place: bytes | None = None
        """Up to where the next one was read."""
        self._rest: list[bytes] = []
        """What was read of it and is not told yet."""

    async def read(self, count: int) -> Dropped | None:
        """The next entries of one stream, at most `count`; None when all were read."""
        desk = self._desk
        for castoff in desk.ledger.castoffs:
            if castoff.id in self._told:
                continue
            if not self._rest:
                await self._read(desk.keys.castoff(castoff.id), count)
            if self._rest:
                told, self._rest = self._rest[:count], self._rest[count:]
                return Dropped(castoff.reason, told, castoff.kind)
            self._told.add(castoff.id)
            self._place = None
        return None

    async def _read(self, stream: str, count: int) -> None:
        """Read on in a stream, whose entries have many fields each."""
        start = b"(" + self._place if self._place else b"-"
        (reply,) = await self._desk.run(("XRANGE", stream, start, "+", "COUNT", max(1, count // LUMP)))
        for self._place, fields in reply:
            self._rest += fields[1::2]

    async def forget(self) -> None:
        """Delete the streams that were read to their end."""
        desk = self._desk
        while desk.ledger.castoffs and desk.ledger.castoffs[0].id in self._told:
            number = desk.ledger.castoffs[0].id
            command = scripts.FORGET.call([desk.keys.meta, desk.keys.castoff(number)], [desk.tenure.token, number])
            (reply,) = await desk.run(command)
            if reply[0] != b"OK":
                await desk.reload()
                return
            desk.ledger.castoffs.pop(0)
            self._told.discard(number)
