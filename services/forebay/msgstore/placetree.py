"""The LMDB tree of an index on disk: its transactions, its growth, and what its errors mean."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import lmdb

from forebay.msgstore.errors import StoreFailedError

FIRST_SIZE = 64 << 20
"""Octets of the map at first; it doubles when it is full."""

T = TypeVar("T")


class PlaceTree:
    """An environment with two databases; its user locks, and its folder belongs to one process.

    Raises `StoreFailedError` for any error of LMDB.
    """

    def __init__(self, folder: Path) -> None:
        size = max([FIRST_SIZE, *(path.stat().st_size for path in folder.iterdir())])
        try:
            self._environment = lmdb.open(
                str(folder), size, max_dbs=2, lock=False, sync=False, metasync=False, meminit=False, readahead=False
            )
            self.messages = self._environment.open_db(b"messages")
            self.state = self._environment.open_db(b"state")
        except lmdb.Error as error:
            raise _failed(error) from error

    def look(self, work: Callable[[lmdb.Transaction], T]) -> T:
        """Do what only reads."""
        try:
            with self._environment.begin() as transaction:
                return work(transaction)
        except lmdb.Error as error:
            raise _failed(error) from error

    def change(self, work: Callable[[lmdb.Transaction], T]) -> T:
        """Do all of it or nothing; once more in a larger map when there was no room."""
        while True:
            try:
                with self._environment.begin(write=True) as transaction:
                    return work(transaction)
            except lmdb.MapFullError:
                self._environment.set_mapsize(2 * self._environment.info()["map_size"])
            except lmdb.Error as error:
                raise _failed(error) from error

    def sync(self) -> None:
        """Make all durable."""
        try:
            self._environment.sync(force=True)
        except lmdb.Error as error:
            raise _failed(error) from error

    def close(self) -> None:
        """Close the files."""
        self._environment.close()


def _failed(error: lmdb.Error) -> StoreFailedError:
    return StoreFailedError(f"the index of messages on disk failed ({error}): check the disk, restart")
