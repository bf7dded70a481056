"""What the threads of a store share: index, message files and flying writes, under one lock."""

import heapq
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import TypeVar

from forebay.msgstore.disk import File
from forebay.msgstore.flights import Flight, Flights
from forebay.msgstore.index import OFFSET_BITS, Entry, Held, MessageIndex, Place, Where, where
from forebay.msgstore.messagefile import Handles, MessageFile
from forebay.msgstore.record import HEAD_SIZE
from forebay.msgstore.scan import Found
from forebay.msgstore.stats import StoreStats

CHUNK = 256
"""Entries handled while the lock is held once, so that a large batch does not stall a reader."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class Catalogue:
    """Each method is atomic but where it says otherwise. `wake` is called when garbage collection has work.

    Entries of the index always point into `files`; a file leaves it only when no entry points there.
    """

    def __init__(self, index: MessageIndex, handles: Handles, stats: StoreStats) -> None:
        self.lock = Lock()
        self.index = index
        self.files: dict[int, MessageFile] = {}
        self.stats = stats
        self.wake: Callable[[], None] = lambda: None
        self._handles = handles
        self._flights = Flights()
        self._numbers = 0
        self._wasteful: dict[int, MessageFile] = {}
        self._retired: list[MessageFile] = []
        self._holds: set[str] = set()

    # Writing
    def admit(self, flights: Sequence[Flight]) -> bool:
        """Count the flights' messages up at once if all are stored already (False), else let all of them fly."""
        with self.lock:
            places = self.index.find([flight.id for flight in flights])
            if None not in places:
                self.index.count([(flight.id, flight.refs) for flight in flights])
                return False
            for flight, place in zip(flights, places, strict=True):
                flight.fresh = self._flights.add(flight) and place is None
            return True

    def choose(self, flights: Sequence[Flight]) -> list[Flight]:
        """The flights that must be written: still wanted and not stored yet, one of each id."""
        stored: set[bytes] = set()
        for chunk in _chunks([flight.id for flight in flights if not flight.fresh]):
            with self.lock:
                places = self.index.find(chunk)
            stored.update(id for id, place in zip(chunk, places, strict=True) if place)
        chosen: dict[bytes, Flight] = {}
        for flight in flights:
            if flight.refs and flight.id not in stored:
                chosen.setdefault(flight.id, flight)
        return list(chosen.values())

    def settle(self, flights: Sequence[Flight], written: dict[bytes, Place]) -> list[Flight]:
        """Enter what was written and count what was stored; atomic for each id.

        Returns flights that must fly once more: what they would have counted up was found damaged meanwhile.
        """
        again: list[Flight] = []
        for chunk in _chunks(flights):
            with self.lock:
                again += self._land(chunk, written)
        return again

    def _land(self, flights: Sequence[Flight], written: dict[bytes, Place]) -> list[Flight]:
        fresh: list[Entry] = []
        known: list[Flight] = []
        for flight in flights:
            self._flights.discard(flight)
            if not flight.refs:
                self.stats.cancelled += 1
            elif place := written.pop(flight.id, None):
                at, size = place
                fresh.append(Entry(flight.id, at, size, flight.refs))
                self.files[at >> OFFSET_BITS].add_live(size + HEAD_SIZE)
            else:
                known.append(flight)
        self.index.insert(fresh)
        counted = self.index.count([(flight.id, flight.refs) for flight in known])
        again = [flight for flight, there in zip(known, counted, strict=True) if not there]
        for flight in again:
            self._flights.add(flight)
        return again

    def abandon(self, flights: Iterable[Flight]) -> None:
        """Their write failed."""
        with self.lock:
            for flight in flights:
                self._flights.discard(flight)

    def release(self, ids: Sequence[bytes]) -> None:
        """Take one reference from each id, of a flying write first; atomic for each."""
        for chunk in _chunks(ids):
            with self.lock:
                stored = [id for id in chunk if not self._flights.cancel(id)] if self._flights else chunk
                self._drop(self.index.release(stored))

    def _drop(self, places: Iterable[Place]) -> None:
        dropped: defaultdict[int, list[int]] = defaultdict(list)
        for place, size in places:
            dropped[place >> OFFSET_BITS].append(size)
        for number, sizes in dropped.items():
            file = self.files[number]
            file.drop_live(sum(sizes) + len(sizes) * HEAD_SIZE, len(sizes))
            if file.sealed:
                self._assess(file)

    # Reading
    def pin(self, ids: Sequence[bytes]) -> tuple[list[Place | None], dict[int, MessageFile], list[tuple[int, Flight]]]:
        """Places of the ids, their files by number, which stay until `unpin`, and flights of ids without a place.

        A flight comes with its position among the ids.
        Raises `OSError` when a file is there but can't be opened, for want of descriptors for one.
        """
        with self.lock:
            places = self.index.find(ids)
            files = self.files
            pinned = {number: files[number] for number in {place[0] >> OFFSET_BITS for place in places if place}}
            flying = self._flying(ids, places) if self._flights and None in places else []
            self._pin(pinned.values())
            return places, pinned, flying

    def _flying(self, ids: Sequence[bytes], places: Sequence[Place | None]) -> list[tuple[int, Flight]]:
        flights = [(position, self._flights.find(ids[position])) for position, place in enumerate(places) if not place]
        return [(position, flight) for position, flight in flights if flight]

    def pin_files(self, files: Iterable[MessageFile]) -> None:
        """As `pin`, for whole files."""
        with self.lock:
            self._pin(files)

    def _pin(self, files: Iterable[MessageFile]) -> None:
        pinned: list[MessageFile] = []
        try:
            for file in files:
                file.readers += 1
                pinned.append(file)
                if file.handle is None:
                    self._handles.open(file)
        except OSError:
            for file in pinned:
                file.readers -= 1
            raise

    def unpin(self, files: Iterable[MessageFile]) -> None:
        """Let go of what `pin` held."""
        with self.lock:
            for file in files:
                file.readers -= 1
                if file.retired and not file.readers:
                    self.wake()

    def count_reads(self, calls: int, octets: int, messages: int, cold: int) -> None:
        """Add to the figures."""
        with self.lock:
            self.stats.read_calls += calls
            self.stats.read_bytes += octets
            self.stats.reads += messages
            self.stats.cold_reads += cold

    def set_aside(self, id: bytes, place: Where, reason: str) -> None:
        """A record turned out damaged: forget it, unless it has moved meanwhile, and say so by name."""
        with self.lock:
            size = self.index.delete_object(id, place)
            if size is None:
                return
            self.stats.damaged += 1
            name = self.files[place >> OFFSET_BITS].name
            self._drop([(place, size)])
        log.error("message %s in %s is damaged and set aside: %s", id.hex(), name, reason)

    # Files
    def new_number(self) -> int:
        """A number no file of this store has had since it was opened."""
        with self.lock:
            self._numbers += 1
            return self._numbers

    def add_file(self, file: MessageFile, handle: File) -> None:
        """A file takes part from now on."""
        with self.lock:
            self._numbers = max(self._numbers, file.number)
            self.files[file.number] = file
            self._handles.adopt(file, handle)

    def forget_file(self, file: MessageFile) -> None:
        """A file no entry points to takes no part any more; its owner deletes it."""
        with self.lock:
            del self.files[file.number]
            self._handles.close(file)

    def seal(self, files: Iterable[MessageFile]) -> None:
        """Nothing is appended to these files any more: garbage collection may have them."""
        with self.lock:
            for file in files:
                file.sealed = True
                self._assess(file)
            self._handles.trim()

    def reopen(self, file: MessageFile) -> None:
        """A sealed file is appended to again."""
        with self.lock:
            file.sealed = False
            self._handles.open(file)

    def hold(self, reason: str) -> None:
        """Forbid garbage collection until `allow` is called with the same reason."""
        with self.lock:
            self._holds.add(reason)

    def allow(self, reason: str) -> None:
        """Take back a hold; without any left, garbage collection goes on."""
        with self.lock:
            self._holds.discard(reason)
            self.wake()

    # Garbage collection
    @property
    def backlog(self) -> int:
        """Files that wait for garbage collection; none while it is forbidden."""
        with self.lock:
            if self._holds:
                return 0
            return len(self._wasteful) + sum(not file.readers for file in self._retired)

    def _assess(self, file: MessageFile) -> None:
        if file.locked:
            return
        if not file.count:
            self._wasteful.pop(file.number, None)
            self._retire(file)
        elif file.wasteful and file.number not in self._wasteful:
            self._wasteful[file.number] = file
            if len(self._wasteful) > 1:
                self.wake()

    def _retire(self, file: MessageFile) -> None:
        file.retired = True
        del self.files[file.number]
        self._retired.append(file)
        self.wake()

    def deletable(self) -> list[MessageFile]:
        """Files that nobody needs and nobody reads any more: the caller deletes them."""
        with self.lock:
            if self._holds:
                return []
            ready = [file for file in self._retired if not file.readers]
            for file in ready:
                self._handles.close(file)
            self._retired = [file for file in self._retired if file.readers]
            return ready

    def lock_pair(self) -> tuple[MessageFile, MessageFile] | None:
        """The two files with the least left in them, of those more than half garbage; no one else collects them."""
        with self.lock:
            if self._holds or len(self._wasteful) < 2:
                return None
            one, two = heapq.nsmallest(2, self._wasteful.values(), key=lambda file: file.live)
            for file in (one, two):
                del self._wasteful[file.number]
                file.locked = True
            return one, two

    def unlock(self, files: Iterable[MessageFile]) -> None:
        """They were not collected after all."""
        with self.lock:
            for file in files:
                file.locked = False
                self._assess(file)

    def living(self, file: MessageFile, block: Sequence[Found]) -> list[Found]:
        """Those records of a file that the index points to."""
        living: list[Found] = []
        for chunk in _chunks(block):
            with self.lock:
                places = self.index.find([found.id for found in chunk])
            living += [
                found
                for found, place in zip(chunk, places, strict=True)
                if place and place[0] == where(file.number, found.offset)
            ]
        return living

    def drop_lost(self, file: MessageFile) -> None:
        """Forget the entries that still point into a file whose whole records were all moved: they are damaged."""
        if not file.count:
            return
        for page in self.pages():
            for entry in page:
                if entry.where >> OFFSET_BITS == file.number:
                    self.set_aside(entry.id, entry.where, "no whole record was found in its place")

    def move(self, moves: Sequence[tuple[bytes, Where, Where, int]]) -> None:
        """Entries (id, old place, new place, size of the body) whose record was copied; atomic for each."""
        for chunk in _chunks(moves):
            with self.lock:
                moved = self.index.move([(id, old, new) for id, old, new, _ in chunk])
                for there, (_, old, new, size) in zip(moved, chunk, strict=True):
                    if there:
                        self.files[old >> OFFSET_BITS].drop_live(size + HEAD_SIZE)
                        self.files[new >> OFFSET_BITS].add_live(size + HEAD_SIZE)

    def retire(self, files: Iterable[MessageFile]) -> None:
        """Collected files: they go when their last reader has left."""
        with self.lock:
            for file in files:
                self._retire(file)

    def recount(self, refs: Iterable[tuple[bytes, int]]) -> list[bytes]:
        """Replace all counts; unowned messages become garbage. Returns owned ids that are not there. Not atomic."""
        with self.lock:
            self.index.forget_counts()
        missing: list[bytes] = []
        for chunk in _batches(refs):
            with self.lock:
                needed = [(id, count) for id, count in chunk if count]
                counted = self.index.count(needed)
            missing += [id for there, (id, _) in zip(counted, needed, strict=True) if not there]
        self.stats.missing = len(missing)
        for page in self._each(self.index.unowned()):
            for unowned in _chunks(page):
                with self.lock:
                    self._drop(self.index.release(unowned))
        return missing

    def pages(self) -> Iterator[list[Entry]]:
        """All entries of the index, atomic for each page."""
        return self._each(self.index.pages())

    def _each(self, pages: Iterator[list[T]]) -> Iterator[list[T]]:
        while True:
            with self.lock:
                page = next(pages, None)
            if page is None:
                return
            yield page

    def sizes(self) -> dict[int, int]:
        """Size of each file on the disk, by number."""
        with self.lock:
            return {file.number: file.size for file in (*self.files.values(), *self._retired)}

    def keep(self, mark: bytes) -> bool:
        """Make the index durable under a mark; False for one that can't be."""
        with self.lock:
            return self.index.keep(mark, {file.number: Held(file.live, file.count) for file in self.files.values()})

    def close(self) -> None:
        """Close all files, and the index."""
        with self.lock:
            self._handles.close_all()
            self.index.close()

    def figures(self) -> StoreStats:
        """The figures of this moment."""
        with self.lock:
            stats = self.stats.copy()
            files = [*self.files.values(), *self._retired]
            stats.messages = len(self.index)
            stats.holds = frozenset(self._holds)
        stats.files = len(files)
        stats.live_bytes = sum(file.live for file in files)
        stats.garbage_bytes = sum(file.garbage for file in files)
        return stats


def _batches(items: Iterable[T]) -> Iterable[list[T]]:
    rest = iter(items)
    return iter(lambda: list(islice(rest, CHUNK)), [])


def _chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[first : first + CHUNK] for first in range(0, len(items), CHUNK))
