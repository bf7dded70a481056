"""Where the files of a store are, and what is done to folders of queues as a whole."""

import asyncio
import re
from collections.abc import Callable
from typing import TypeVar

from forebay.msgstore import Disk

T = TypeVar("T")

DATA = "data"
"""Folder of messages and queues within that of the store."""
FOLDER = "queues"
"""Each queue has a folder of the name of its identity in it."""
LEVEL = re.compile(r"p\d+")
"""Names of the folders that a queue with priorities has in its own, one for each level."""


def folder_of(uid: str) -> str:
    """Where the queue of an identity lives."""
    return f"{FOLDER}/{uid}"


def levels_in(disk: Disk, folder: str) -> list[str]:
    """Names of the levels in the folder of a queue; none where it has no priorities."""
    return [name for name in disk.names(folder) if LEVEL.fullmatch(name)]


def erase(disk: Disk, folder: str) -> None:
    """Delete a folder and what is in it, down to the levels of a queue; blocks."""
    if not disk.exists(folder):
        return
    for name in disk.names(folder):
        path = f"{folder}/{name}"
        if LEVEL.fullmatch(name):
            erase(disk, path)
        else:
            disk.unlink(path)
    disk.remove_folder(folder)


async def in_thread(work: Callable[[], T]) -> T:
    """Do what blocks."""
    return await asyncio.get_running_loop().run_in_executor(None, work)
