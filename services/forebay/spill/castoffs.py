"""Castoffs: entries that compactions have dropped, for the owner's service to release what they stand for."""

from forebay.spill import scripts
from forebay.spill.desk import Desk
from forebay.spill.limits import Dropped


class Castoffs:
    """Told in order, oldest compaction first, and deleted afterwards."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: set[int] = set()
        """Streams that were read to their end."""
        self._place: bytes | None = None
        """Up to where the next one was read."""

    async def read(self, count: int) -> Dropped | None:
        """The next entries of one stream, at most `count`; None when all were read."""
        desk = self._desk
        for castoff in desk.ledger.castoffs:
            if castoff.id in self._told:
                continue
            if entries := await desk.entries(desk.keys.castoff(castoff.id), self._place, count):
                self._place = entries[-1].id
                return Dropped(castoff.reason, [entry.data for entry in entries], castoff.kind)
            self._told.add(castoff.id)
            self._place = None
        return None

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
