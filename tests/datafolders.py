"""Data folders as outfeeds leave them, with what their peers still need, and damage done to them."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from feedlogs import key, records, token
from forebay.msgstore import Put
from forebay.msgstore.disk import RealDisk
from forebay.msgstore.settings import StoreSettings
from forebay.msgstore.store import MessageStore
from forebay.outfeed.log.feedlog import FeedLog, FeedLogSettings

SMALL = StoreSettings(file_size=16384, reserve=0)
PEERS = ("a", "b")


class DataFolder:
    """An outfeed's bodies and the log of who needs them."""

    def __init__(self, folder: Path, settings: StoreSettings) -> None:
        self.store = MessageStore.open(RealDisk(folder / "messages"), settings)
        self.log = FeedLog.open(RealDisk(folder / "feed"), FeedLogSettings(reserve=0))
        self.store.recount(self.log.references())

    async def accept(self, first: int, count: int, size: int = 1000) -> None:
        """Articles of these numbers come in for both peers."""
        await self.put(range(first, first + count), len(PEERS), size)
        await self.log.append(records(first, count, 0b11))

    async def put(self, numbers: Iterable[int], references: int = 1, size: int = 1000) -> None:
        """Bodies come in, and nobody logs that."""
        await self.store.put([Put(key(number), (number.to_bytes(4) * (size // 4),), references) for number in numbers])

    async def release(self, numbers: Sequence[int], peers: Sequence[int] = (0, 1)) -> None:
        """Peers are done with articles; number and seq are the same."""
        for peer in peers:
            self.log.release(peer, [token(number, number) for number in numbers])
        self.store.remove(await self.log.flush())

    async def close(self) -> None:
        self.store.remove(await self.log.close())
        self.store.close()


@asynccontextmanager
async def opened(folder: Path, settings: StoreSettings = SMALL) -> AsyncIterator[DataFolder]:
    data = DataFolder(folder, settings)
    for peer in PEERS:
        await data.log.add_peer(peer)
    yield data
    await data.close()


def message_files(folder: Path) -> list[Path]:
    return sorted((folder / "messages" / "persistent").glob("*.messages"))


def message_file(folder: Path, number: int) -> Path:
    return folder / "messages" / "persistent" / f"{number:010d}.messages"


def place_of(folder: Path, number: int) -> tuple[Path, int]:
    """File and offset of the body of an article."""
    for file in message_files(folder):
        if (at := file.read_bytes().find(key(number))) >= 0:
            return file, at
    raise AssertionError(f"article {number} is in no message file")


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
