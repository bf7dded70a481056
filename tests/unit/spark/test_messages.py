import subprocess
import sys
from pathlib import Path

import pytest
from google_crc32c import value

from datafolders import flip, message_files, opened, place_of
from feedlogs import key
from forebay.msgstore import FormatError
from forebay.msgstore.disk import RealDisk
from forebay.msgstore.queueindex import QueueIndex
from forebay.msgstore.queuerecord import QueueEntry
from forebay.msgstore.record import FILE_HEAD_SIZE
from forebay_spark.datafolder import DataFolder
from forebay_spark.errors import OptionError
from forebay_spark.sources.messagefiles import DAMAGED, GONE, TORN, WHOLE, MessageFiles
from forebay_spark.sources.messagequeues import QueueEntries
from forebay_spark.sources.messagereferences import FeedReferences
from forebay_spark.sources.messages import Table
from forebay_spark.sources.messagesnapshot import MessageSnapshot


def rows(table: Table, parts: int = 1) -> list[dict]:
    return [row for part in table.parts(parts) for batch in table.read(part) for row in batch.to_pylist()]


@pytest.fixture
async def folder(tmp_path: Path) -> DataFolder:
    """Forty articles: peer a is done with the first ten, both are with the next ten."""
    async with opened(tmp_path) as data:
        await data.accept(0, 40)
        await data.release(range(10), peers=[0])
        await data.release(range(10, 20))
    return DataFolder(tmp_path)


def broken(folder: DataFolder) -> list[dict]:
    return [row for row in rows(MessageFiles(folder)) if row["state"] != WHOLE]


def test_records_are_all_that_is_in_the_files(folder):
    found = rows(MessageFiles(folder))
    assert {row["id"] for row in found} >= {key(number) for number in (*range(10), *range(20, 40))}
    assert {row["state"] for row in found} == {WHOLE}


def test_octets_of_a_file_are_those_of_its_head_and_its_records(folder):
    found = rows(MessageFiles(folder))
    for number, size in folder.sizes().items():
        assert FILE_HEAD_SIZE + sum(row["octets"] for row in found if row["file"] == number) == size


def test_parts_share_the_files_out(folder):
    parts = MessageFiles(folder).parts(2)
    assert len(parts) >= 2
    assert [number for part in parts for number in part.numbers] == list(folder.sizes())


def test_files_before_the_first_are_left_out(folder):
    last = max(folder.sizes())
    assert {row["file"] for row in rows(MessageFiles(folder, last))} == {last}


def test_file_that_is_deleted_meanwhile_is_told_of(folder):
    table = MessageFiles(folder)
    (part,) = table.parts(1)
    message_files(folder.path)[0].unlink()
    found = [row for batch in table.read(part) for row in batch.to_pylist()]
    assert [row["file"] for row in found if row["state"] == GONE] == [1]
    assert len(found) > 1


def test_flipped_byte_is_damage_of_that_record(folder):
    file, at = place_of(folder.path, 25)
    flip(file, at + 100)
    (row,) = broken(folder)
    assert (row["state"], row["id"]) == (DAMAGED, key(25))


def test_flipped_byte_in_the_head_of_a_file_costs_no_record(folder):
    before = len(rows(MessageFiles(folder)))
    flip(message_files(folder.path)[0], 20)
    (row,) = broken(folder)
    assert (row["state"], row["place"]) == (DAMAGED, 0)
    assert len(rows(MessageFiles(folder))) == before + 1


def test_unfinished_write_is_torn(folder):
    with message_files(folder.path)[-1].open("ab") as file:
        file.write(b"half a record")
    assert [row["state"] for row in broken(folder)] == [TORN]


def test_file_of_a_newer_release_is_refused(folder):
    file = message_files(folder.path)[0]
    data = file.read_bytes()
    head = data[:8] + (2).to_bytes(2, "big") + data[10 : FILE_HEAD_SIZE - 4]
    file.write_bytes(head + value(head).to_bytes(4, "big") + data[FILE_HEAD_SIZE:])
    with pytest.raises(FormatError, match="upgrade"):
        rows(MessageFiles(folder))


def test_snapshot_tells_what_the_index_counts(folder):
    counted = {row["id"]: row["counted"] for row in rows(MessageSnapshot(folder))}
    assert counted == {key(number): 1 if number < 10 else 2 for number in (*range(10), *range(20, 40))}


def test_index_knows_the_places_of_records(folder):
    places = {(row["id"], row["file"], row["place"]) for row in rows(MessageFiles(folder))}
    assert {(row["id"], row["file"], row["place"]) for row in rows(MessageSnapshot(folder))} <= places


async def test_index_of_an_open_store_is_empty(tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 1)
        assert rows(MessageSnapshot(DataFolder(tmp_path))) == []


def test_references_are_those_that_peers_have_not_released(folder):
    owners = {row["id"]: row["owners"] for row in rows(FeedReferences(folder))}
    assert owners == {key(number): 1 if number < 10 else 2 for number in (*range(10), *range(20, 40))}


async def test_references_can_be_read_while_the_service_runs(tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        await data.release([1])
        assert {row["id"] for row in rows(FeedReferences(DataFolder(tmp_path)))} == {key(0), key(2)}


@pytest.mark.parametrize("name", ["log/0000000000.log", "ownership/0000000000.journal"])
def test_damage_of_the_feed_log_is_told(folder, name):
    flip(folder.path / "feed" / name, 40)
    (damage,) = [row["damage"] for row in rows(FeedReferences(folder)) if row["damage"]]
    assert f"feed/{name}" in damage


async def test_unfinished_write_to_the_log_of_a_running_service_is_no_damage(tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        with (tmp_path / "feed" / "log" / "0000000000.log").open("ab") as file:
            file.write(b"half")
        assert [row["damage"] for row in rows(FeedReferences(DataFolder(tmp_path)))] == [None] * 3


def test_folder_without_messages_is_refused(tmp_path):
    with pytest.raises(OptionError, match="data folder"):
        DataFolder(tmp_path).sizes()


def queue(folder: Path, *, close: bool = True) -> QueueIndex:
    """Entries 0 to 9, of which 2 and 3 are done with, 4 was delivered, 5 is embedded and 6 is not persistent."""
    index = QueueIndex(RealDisk(folder / "queues"), "q")
    index.publish(
        [
            QueueEntry(number, key(number), 5000, persistent=number != 6, body=b"tiny" if number == 5 else None)
            for number in range(10)
        ]
    )
    index.acknowledge(range(2, 4))
    index.deliver(range(4, 5), 3)
    index.sync()
    if close:
        index.close()
    return index


@pytest.mark.parametrize("closed", [True, False], ids=["from segments", "from the journal"])
def test_entries_are_what_waits_in_a_queue(tmp_path, closed):
    queue(tmp_path, close=closed)
    found = rows(QueueEntries(DataFolder(tmp_path)))
    assert [row["seq"] for row in found] == [0, 1, 4, 5, 7, 8, 9]
    assert [row["seq"] for row in found if row["embedded"]] == [5]
    assert {row["seq"]: row["deliveries"] for row in found if row["deliveries"]} == {4: 3}
    assert {row["queue"] for row in found} == {"queues/q"}


def test_damage_of_a_queue_index_is_told(tmp_path):
    queue(tmp_path)
    flip(next((tmp_path / "queues" / "q").glob("*.segment")), FILE_HEAD_SIZE + 50)
    assert [row for row in rows(QueueEntries(DataFolder(tmp_path))) if row["damage"]]


def test_ownership_journal_is_no_queue(folder):
    assert folder.queues == []


READS_ALL = """
import sys
from pathlib import Path
from forebay_spark.datafolder import DataFolder
from forebay_spark.messagerows import Kind, rows_of
from forebay_spark.sources.messagefiles import MessageFiles
from forebay_spark.sources.messagereferences import FeedReferences
from forebay_spark.sources.messagesnapshot import MessageSnapshot

folder = DataFolder(Path(sys.argv[1]))
for table, kind in (MessageFiles, Kind.RECORD), (FeedReferences, Kind.OWNERS), (MessageSnapshot, Kind.COUNTED):
    table = table(folder)
    assert sum(len(rows_of(piece, kind)) for part in table.parts(1) for piece in table.pieces(part))
print("pandas" in sys.modules)
"""


def test_reading_for_judgement_does_without_pandas(folder):
    """Each worker would take a third of a second to load it."""
    done = subprocess.run([sys.executable, "-c", READS_ALL, folder.path], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
