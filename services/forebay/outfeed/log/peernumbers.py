"""Small stable numbers for peers: the positions of their bits."""

import json
from collections.abc import Iterable

from forebay.feedlog.frames import VERSION
from forebay.msgstore.disk import Disk, replace
from forebay.msgstore.errors import FormatError
from forebay.outfeed.errors import OutfeedError
from forebay.outfeed.log.diskfiles import read_file

NAME = "peers.json"
MAX_PEERS = 255 * 8
"""A record has up to 255 octets of bits."""


class PeerNumbers:
    """Numbers by uid of the peer, kept in a small file that is replaced whole."""

    def __init__(self, disk: Disk, numbers: dict[str, int]) -> None:
        self._disk = disk
        self._numbers = numbers

    @classmethod
    def open(cls, disk: Disk) -> "PeerNumbers":
        """Read the file; none are known where it is missing.

        Raises `FormatError` when it cannot be read: without it no bit says whose it is.
        """
        if not disk.exists(NAME):
            return cls(disk, {})
        try:
            content = json.loads(read_file(disk, NAME))
            version, numbers = content["version"], {str(uid): int(n) for uid, n in content["peers"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(f"{NAME} is damaged ({error}): restore it, or remove it with all of the log") from error
        if version != VERSION:
            raise FormatError(f"{NAME} is of version {version}; this release reads {VERSION}")
        return cls(disk, numbers)

    def __getitem__(self, uid: str) -> int:
        return self._numbers[uid]

    def __contains__(self, uid: str) -> bool:
        return uid in self._numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def items(self) -> dict[str, int]:
        """A copy: numbers by uid."""
        return dict(self._numbers)

    def add(self, uid: str) -> int:
        """The peer's number; a new peer gets the lowest that is free, durably."""
        self.add_all([uid])
        if uid not in self._numbers:
            raise OutfeedError(f"peer {uid}: the log has bits for {MAX_PEERS} peers; remove one first")
        return self._numbers[uid]

    def add_all(self, uids: Iterable[str]) -> None:
        """Give numbers to new peers as long as there are any, with one write for all."""
        taken = set(self._numbers.values())
        free = (number for number in range(MAX_PEERS) if number not in taken)
        new = dict(zip((uid for uid in uids if uid not in self._numbers), free, strict=False))
        if new:
            self._save({**self._numbers, **new})

    def remove(self, uid: str) -> None:
        """Free the number of a peer that has no bits any more, durably."""
        self._save({other: number for other, number in self._numbers.items() if other != uid})

    def _save(self, numbers: dict[str, int]) -> None:
        replace(self._disk, NAME, json.dumps({"version": VERSION, "peers": numbers}, indent=2).encode())
        self._numbers = numbers
