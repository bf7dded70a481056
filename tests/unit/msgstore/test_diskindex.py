"""The index on disk: what it keeps over a clean stop, how it grows, and what it takes of the memory."""

import subprocess
import sys

import lmdb
import pytest

from forebay.msgstore import DiskIndex, StoreClosedError, StoreFailedError
from forebay.msgstore.index import Entry, Held

MARK, OTHER = b"m" * 16, b"o" * 16
IDS = [n.to_bytes(16, "big") for n in range(1000)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "places"


@pytest.fixture
def open_index(folder):
    """Opens indexes in one folder, one after the other."""
    opened = []

    def open_index(mark):
        for index in opened:
            index.close()
        opened.append(DiskIndex(folder))
        return opened[-1], opened[-1].begin(mark)

    yield open_index
    for index in opened:
        index.close()


@pytest.fixture
def kept(open_index):
    """What a clean stop has left."""
    index, _ = open_index(None)
    index.insert(Entry(id, n, 7, 3) for n, id in enumerate(IDS))
    index.forget_counts()
    index.count([(IDS[0], 2)])
    assert index.keep(MARK, {1: Held(10, 2), 2: Held(0, 0)})


def test_clean_stop_keeps_entries_references_and_what_was_said_of_files(kept, open_index):
    index, held = open_index(MARK)
    assert held == {1: Held(10, 2), 2: Held(0, 0)}
    assert len(index) == len(IDS)
    entries = [entry for page in index.pages() for entry in page]
    assert entries == [Entry(id, n, 7, 2 if n == 0 else 0) for n, id in enumerate(IDS)]


@pytest.mark.parametrize("mark", [None, OTHER], ids=["dirty", "another"])
def test_after_any_other_stop_it_is_empty(kept, open_index, mark):
    index, held = open_index(mark)
    assert (held, len(index), list(index.pages())) == (None, 0, [])


def test_what_was_kept_is_taken_up_once(kept, open_index):
    open_index(MARK)
    index, held = open_index(MARK)
    assert (held, len(index)) == (None, 0)


@pytest.mark.parametrize("damage", [b"", b"no tree at all" * 1000], ids=["empty", "other"])
def test_files_that_are_no_index_are_made_anew(kept, open_index, folder, damage):
    (folder / "data.mdb").write_bytes(damage)
    index, held = open_index(MARK)
    assert (held, len(index)) == (None, 0)
    index.insert([Entry(IDS[0], 1, 1, 1)])


def test_missing_folder_is_made_anew(open_index):
    index, held = open_index(MARK)
    assert (held, len(index)) == (None, 0)


def test_it_outgrows_its_map(open_index, monkeypatch):
    monkeypatch.setattr("forebay.msgstore.placetree.FIRST_SIZE", 1 << 16)
    index, _ = open_index(None)
    index.insert([Entry(id, 1, 1, 1) for id in IDS])
    ids = [n.to_bytes(16, "big") for n in range(1000, 50_000)]
    for first in range(0, len(ids), 256):
        index.insert([Entry(id, 1, 1, 1) for id in ids[first : first + 256]])
    assert index.find([ids[0], ids[-1], IDS[-1]]) == [(1, 1)] * 3
    assert index.keep(MARK, {})
    index, held = open_index(MARK)
    assert (held, len(index)) == ({}, 50_000)


def test_trouble_with_the_disk_is_told_as_such(open_index, monkeypatch):
    index, _ = open_index(None)

    def broken(transaction, packed):
        raise lmdb.DiskError("no such luck")

    monkeypatch.setattr(index, "_put", broken)
    with pytest.raises(StoreFailedError, match="restart"):
        index.insert([Entry(IDS[0], 1, 1, 1)])
    assert len(index) == 0


def test_closed_index_says_so(open_index):
    index, _ = open_index(None)
    index.close()
    with pytest.raises(StoreClosedError):
        index.find(IDS)


GROWTH = """
import sys
from pathlib import Path
from forebay.msgstore import DiskIndex
from forebay.msgstore.index import Entry

def anonymous():
    text = Path("/proc/self/status").read_text()
    return int(text.split("RssAnon:")[1].split()[0])

index = DiskIndex(Path(sys.argv[1]))
index.begin(None)
def insert(numbers):
    for first in range(numbers.start, numbers.stop, 256):
        index.insert([Entry(n.to_bytes(16, "big"), n, 1, 1) for n in range(first, first + 256)])
insert(range(0, 51_200))
before = anonymous()
insert(range(51_200, int(sys.argv[2])))
for page in index.pages():
    pass
print(anonymous() - before)
index.close()
"""


def test_memory_does_not_grow_with_the_number_of_messages(folder, scale):
    """Ours, that is: what the page cache has the system takes back."""
    count = 512_000 * scale
    done = subprocess.run([sys.executable, "-c", GROWTH, folder, str(count)], capture_output=True, check=True)
    assert int(done.stdout) < 8 * 1024
