"""A disk in memory that forgets what was not synced, can lose its power at any operation, and can be full."""

import errno
import random
from collections.abc import Callable, Sequence
from threading import RLock

from forebay.msgstore.disk import Buffer, File


class PowerLoss(OSError):  # noqa: N818 - an event, not a kind of error
    """The plug was pulled: this operation and all later ones fail."""

    def __init__(self) -> None:
        super().__init__(errno.EIO, "power loss")


class Inode:
    """A file's content: `durable` is what a sync has covered."""

    def __init__(self, durable: bytes = b"") -> None:
        self.data = bytearray(durable)
        self.durable = durable

    def survivor(self, chance: random.Random | None) -> bytes:
        """What is left of it: the synced part, and by chance a torn or zeroed piece of the rest."""
        if chance is None or self.data == self.durable:
            return self.durable
        if not self.data.startswith(self.durable):
            return chance.choice([self.durable, bytes(self.data)])
        rest = bytes(self.data[len(self.durable) :])
        cut = chance.randrange(len(rest) + 1)
        return self.durable + chance.choice([b"", rest, rest[:cut], bytes(cut), bytes(cut) + rest[cut:]])


class PowerLossDisk:
    """A `Disk` that keeps, over a power loss, only synced content under synced names.

    crash_at: number of the operation (counted from 1) at which the power goes; None for never. An append that is
    hit has written a part of it. limit: octets the disk has. sync_errors: how many of the next syncs fail.
    """

    def __init__(self, *, crash_at: int | None = None, limit: int = 1 << 40) -> None:
        self.crash_at = crash_at
        self.limit = limit
        self.sync_errors = 0
        self.operations = 0
        self.crashed = False
        self.before: PowerLossDisk | None = None
        """The disk before the power loss that made this one."""
        self.lock = RLock()
        self._names: dict[str, Inode] = {}
        self._durable: dict[str, Inode] = {}
        self._pending: list[Callable[[dict[str, Inode]], None]] = []
        self._folders: set[str] = {""}

    def after_power_loss(self, chance: random.Random | None = None) -> "PowerLossDisk":
        """The disk as the next start finds it; with `chance`, some of what was not synced survived in some shape."""
        with self.lock:
            self.crashed = True
            names = dict(self._durable)
            if chance is not None:
                for change in self._pending[: chance.randrange(len(self._pending) + 1)]:
                    change(names)
            disk = PowerLossDisk(limit=self.limit)
            disk.before = self
            kept = {inode: Inode(inode.survivor(chance)) for inode in names.values()}
            disk._names = {name: kept[inode] for name, inode in names.items()}
            disk._durable = dict(disk._names)
            disk._folders = set(self._folders)
            return disk

    def contents(self, name: str) -> bytearray:
        """The content of a file as programs see it, to be damaged by a test in place."""
        return self._inode(name).data

    def settle(self) -> None:
        """Make everything durable, the damage done to `contents` included."""
        for inode in self._names.values():
            inode.durable = bytes(inode.data)
        self._durable = dict(self._names)
        self._pending.clear()

    def step(self) -> bool:
        """Count an operation; True when the power goes at this one."""
        if self.crashed:
            raise PowerLoss
        self.operations += 1
        self.crashed = self.operations == self.crash_at
        return self.crashed

    def checked_step(self) -> None:
        """As `step`, for an operation that is not done at all when the power goes."""
        if self.step():
            raise PowerLoss

    def used(self) -> int:
        """Octets taken by all files."""
        return sum(len(inode.data) for inode in self._names.values())

    def create(self, name: str) -> File:
        with self.lock:
            self.checked_step()
            if name in self._names:
                raise FileExistsError(errno.EEXIST, name)
            self._check_folder(name)
            inode = Inode()
            self._change(lambda names: names.__setitem__(name, inode))
            return PowerLossFile(self, name, inode)

    def open(self, name: str) -> File:
        with self.lock:
            return PowerLossFile(self, name, self._inode(name))

    def names(self, folder: str = "") -> list[str]:
        with self.lock:
            start = f"{folder}/" if folder else ""
            below = [name for name in (*self._names, *self._folders) if name and name.startswith(start)]
            return sorted({name[len(start) :].partition("/")[0] for name in below})

    def exists(self, name: str) -> bool:
        with self.lock:
            return name in self._names or name in self._folders

    def make_folder(self, name: str) -> None:
        with self.lock:
            self.checked_step()
            parts = name.split("/")
            self._folders.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))

    def remove_folder(self, name: str) -> None:
        with self.lock:
            self.checked_step()
            if self.names(name):
                raise OSError(errno.ENOTEMPTY, name)
            self._folders.discard(name)

    def rename(self, old: str, new: str) -> None:
        with self.lock:
            self.checked_step()
            inode = self._inode(old)

            def change(names: dict[str, Inode]) -> None:
                if names.get(old) is inode:
                    del names[old]
                names[new] = inode

            self._change(change)

    def unlink(self, name: str) -> None:
        with self.lock:
            self.checked_step()
            self._inode(name)

            def change(names: dict[str, Inode]) -> None:
                names.pop(name, None)

            self._change(change)

    def sync_folder(self, folder: str = "") -> None:
        with self.lock:
            self.sync_step()
            # One journal for all folders, as ext4 and xfs have it.
            self._durable = dict(self._names)
            self._pending.clear()

    def free_bytes(self) -> int:
        with self.lock:
            return max(self.limit - self.used(), 0)

    def sync_step(self) -> None:
        """Count a sync, which fails when the test asked for it."""
        self.checked_step()
        if self.sync_errors:
            self.sync_errors -= 1
            raise OSError(errno.EIO, "sync failed")

    def _change(self, change: Callable[[dict[str, Inode]], None]) -> None:
        change(self._names)
        self._pending.append(change)

    def _check_folder(self, name: str) -> None:
        folder = name.rpartition("/")[0]
        if folder not in self._folders:
            raise FileNotFoundError(errno.ENOENT, folder)

    def _inode(self, name: str) -> Inode:
        try:
            return self._names[name]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, name) from None


class PowerLossFile:
    """A file of a `PowerLossDisk`."""

    def __init__(self, disk: PowerLossDisk, name: str, inode: Inode) -> None:
        self._disk = disk
        self._name = name
        self._inode = inode

    @property
    def name(self) -> str:
        return self._name

    def append(self, buffers: Sequence[Buffer]) -> int:
        data = b"".join(buffers)
        with self._disk.lock:
            start = len(self._inode.data)
            if self._disk.step():
                self._inode.data += data[: len(data) // 2]
                raise PowerLoss
            if self._disk.used() + len(data) > self._disk.limit:
                raise OSError(errno.ENOSPC, "no space left")
            self._inode.data += data
            return start

    def copy_from(self, source: File, size: int, offset: int) -> int:
        return self.append([source.pread(size, offset)])

    def pread(self, size: int, offset: int) -> bytes:
        with self._disk.lock:
            if self._disk.crashed:
                raise PowerLoss
            return bytes(self._inode.data[offset : offset + size])

    def pread_into(self, buffer: memoryview, offset: int, *, wait: bool) -> int | None:
        data = self.pread(len(buffer), offset)
        buffer[: len(data)] = data
        return len(data)

    def datasync(self) -> None:
        with self._disk.lock:
            self._disk.sync_step()
            self._inode.durable = bytes(self._inode.data)

    def size(self) -> int:
        return len(self._inode.data)

    def truncate(self, size: int) -> None:
        with self._disk.lock:
            self._disk.checked_step()
            del self._inode.data[size:]

    def close(self) -> None:
        pass
