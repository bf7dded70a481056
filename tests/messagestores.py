"""Messages for stores under test, and stores that are closed at the end."""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from eventually import eventually
from forebay.msgstore import Disk, MessageStore, MessageStoreError, Put, StoreSettings

SMALL = StoreSettings(file_size=4096, reserve=0)


def message_id(number: int) -> bytes:
    return number.to_bytes(16, "big")


def ids(numbers: Iterable[int]) -> list[bytes]:
    return [message_id(number) for number in numbers]


def body(number: int, size: int = 200) -> bytes:
    return random.Random(number).randbytes(size)


def put(number: int, size: int = 200, refs: int = 1) -> Put:
    data = body(number, size)
    return Put(message_id(number), (data[: size // 2], data[size // 2 :]), refs)


def puts(numbers: Iterable[int], size: int = 200, refs: int = 1) -> list[Put]:
    return [put(number, size, refs) for number in numbers]


@contextmanager
def opened(disk: Disk, settings: StoreSettings = SMALL, *, transient: bool = False) -> Iterator[MessageStore]:
    """A store that is closed at the end, whatever its disk did to it."""
    store = MessageStore.open(disk, settings, transient=transient)
    try:
        yield store
    finally:
        with suppress(OSError, MessageStoreError):
            store.close()


def lost(store: MessageStore, numbers: Iterable[int], size: int = 200) -> list[int]:
    """Which of these messages the store does not give back as they were."""
    numbers = list(numbers)
    read = store.read(ids(numbers))
    return [number for number, found in zip(numbers, read, strict=True) if found != body(number, size)]


def abandon(store: MessageStore) -> None:
    """Let go of a store whose process is dead: its threads end, nothing more is written."""
    store._collector.close()
    store._committer.close()
    store._reader.close()
    store._catalogue.index.close()
    store._closed = True


async def collected(store: MessageStore, settings: StoreSettings = SMALL) -> None:
    """Wait until garbage collection has kept its promise."""

    def check() -> bool:
        stats = store.stats
        return stats.live_bytes + stats.garbage_bytes <= 2 * stats.live_bytes + 2 * settings.file_size

    await eventually(check)
