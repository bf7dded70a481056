"""History: which message-ids were seen within the days that are remembered."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

import structlog

from forebay.outfeed.errors import HistoryFullError
from forebay.outfeed.incoming.dates import DAY_MS
from forebay.outfeed.incoming.dayfilter import DayFilter
from forebay.outfeed.incoming.idtable import IdTable, TableDamagedError, halves

_CLEAN = "clean"
_FEWEST_SLOTS = 1 << 16
_MOST_SLOTS = 1 << 20
_EPOCH = date(1970, 1, 1).toordinal()
_MILLISECOND = timedelta(milliseconds=1)

log = structlog.stdlib.get_logger(__name__)


class History:
    """Keys of message-ids in a folder, by the day of their arrival in UTC. Times are in milliseconds since the epoch.

    A day is one file, or several, each up to double the size of those before: growing never moves an entry, so it takes
    no longer than making a file. All but `flush` belongs to one thread.
    """

    def __init__(self, folder: Path, remember: timedelta) -> None:
        """Use `open`."""
        self.dirty = not (folder / _CLEAN).exists()
        """The last process did not close it: what it added after its last `flush` may be missing, so `rebuild`."""
        self.damaged: list[str] = []
        """Files that were set aside, renamed, since they could not be read."""
        self._folder = folder
        self._remembered_ms = remember // _MILLISECOND
        # Besides the days remembered: the one that goes on, a part of one, and one for articles dated ahead.
        self._filter = DayFilter(self._remembered_ms // DAY_MS + 3, 0)
        self._days: defaultdict[int, list[IdTable]] = defaultdict(list)
        self._suspects: list[tuple[IdTable, ...]] = []
        self._unsynced: set[IdTable] = set()

    @classmethod
    def open(cls, folder: Path, remember: timedelta) -> "History":
        """Open the history in a folder, which is made if it is not there. Blocks while all of it is read once."""
        folder.mkdir(parents=True, exist_ok=True)
        history = cls(folder, remember)
        (folder / _CLEAN).unlink(missing_ok=True)
        _sync_folder(folder)
        for path in sorted(folder.glob("*.ids")):
            history._load(path)
        history._arrange()
        return history

    def __len__(self) -> int:
        return sum(table.count for tables in self._days.values() for table in tables)

    def seen(self, key: bytes) -> bool:
        """Whether a key is remembered."""
        first, second = halves(key)
        places = self._filter
        for table in self._suspects[places.places[first & places.mask]]:  # noqa: SIM110 - any() takes twice the time
            if table.has(first, second):
                return True
        return False

    def reserve(self, count: int, arrival: int) -> None:
        """Make room for so many keys of a time, so that adding them cannot fail. Raises `HistoryFullError`."""
        tables = self._days[arrival // DAY_MS]
        if tables and tables[-1].room() >= count:
            return
        try:
            self._grow(tables, count, arrival // DAY_MS)
        except OSError as error:
            if not tables or tables[-1].room(brimful=True) < count:
                raise HistoryFullError(
                    f"no room in {self._folder} for message-ids ({error.strerror}): free space or remember fewer days"
                ) from error

    def add_batch(self, keys: Sequence[bytes], arrival: int) -> None:
        """Remember keys, none of them `seen`, that came at one time. Raises `HistoryFullError`, and then adds none."""
        self.reserve(len(keys), arrival)
        table = self._days[arrival // DAY_MS][-1]
        places, mask, span = self._filter.places, self._filter.mask, self._filter.span(table.day)
        for key in keys:
            first, second = halves(key)
            table.add(first, second)
            places[first & mask] |= span
        self._unsynced.add(table)

    def rebuild(self, arrivals: Iterable[tuple[bytes, int]]) -> None:
        """Remember those of the pairs of key and arrival that are missing. Raises `HistoryFullError`."""
        for key, arrival in arrivals:
            if not self.seen(key):
                self.add_batch([key], arrival)
        self.dirty = False

    def date_problem(self, date_ms: int | None, now: int) -> str:
        """Why an article of this date cannot be told from one seen before; nothing if it can."""
        if date_ms is None:
            return "header Date is no date"
        if date_ms < now - self._remembered_ms:
            return f"too old: Date is over {self._remembered_ms / DAY_MS:g} days ago, and no more are remembered"
        if date_ms > now + DAY_MS:
            return "header Date lies over a day ahead"
        return ""

    def expire(self, now: int) -> int:
        """Forget the days that need no longer be remembered; returns how many keys they held."""
        # A day counts from its end, and its articles may be dated one day ahead.
        oldest = (now - self._remembered_ms) // DAY_MS - 1
        gone = [table for day, tables in self._days.items() if day < oldest for table in tables]
        if not gone:
            return 0
        self._days = defaultdict(list, {day: tables for day, tables in self._days.items() if day >= oldest})
        self._clear_spans({self._filter.span(table.day) for table in gone})
        self._arrange()
        for table in gone:
            self._unsynced.discard(table)
            table.path.unlink(missing_ok=True)
            table.close()
        return sum(table.count for table in gone)

    def flush(self) -> None:
        """Wait until all that was added before the call is on disk. For a thread of its own. Raises `OSError`."""
        # Taken off before it is synced: what is added meanwhile puts it back.
        for table in list(self._unsynced):
            self._unsynced.discard(table)
            table.sync()
        _sync_folder(self._folder)

    def close(self) -> None:
        """Flush, mark as clean, and let go of the files. Raises `OSError`."""
        self.flush()
        if not self.dirty:
            (self._folder / _CLEAN).touch()
            _sync_folder(self._folder)
        for tables in self._days.values():
            for table in tables:
                table.close()
        self._days.clear()

    def _load(self, path: Path) -> None:
        try:
            table = IdTable.open(path)
        except TableDamagedError as error:
            path.rename(path.with_suffix(".damaged"))
            self.damaged.append(path.name)
            self.dirty = True
            log.error("history file set aside", file=path.name, problem=str(error))
            return
        tables = self._days[table.day]
        tables.append(table)
        self._filter.fit(sum(part.slots for part in tables) // 2)
        places, mask, span = self._filter.places, self._filter.mask, self._filter.span(table.day)
        for first in table.firsts():
            places[first & mask] |= span

    def _grow(self, tables: list[IdTable], count: int, day: int) -> None:
        """Begin another table for a day. Raises `OSError`."""
        held = sum(table.count for table in tables or self._days.get(day - 1, []))
        slots = _FEWEST_SLOTS
        while slots < min(2 * held, _MOST_SLOTS) or slots < 2 * count:
            slots *= 2
        name = f"{date.fromordinal(_EPOCH + day).isoformat()}.{len(tables):03d}.ids"
        table = IdTable.create(self._folder / name, day, slots)
        self._filter.fit(held + slots // 2)
        tables.append(table)
        self._unsynced.add(table)
        self._arrange()

    def _arrange(self) -> None:
        """For each answer of the filter, the tables to look into, the newest first."""
        tables = [table for day in sorted(self._days, reverse=True) for table in reversed(self._days[day])]
        spans = [(table, self._filter.span(table.day)) for table in tables]
        self._suspects = [tuple(table for table, span in spans if span & spans_met) for spans_met in range(256)]

    def _clear_spans(self, spans: set[int]) -> None:
        freed = spans - {self._filter.span(day) for day in self._days}
        if freed:
            self._filter.clear(sum(freed))


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
