import argparse
import asyncio
from pathlib import Path

import pytest
from google_crc32c import value

from datafolders import flip, message_file, message_files, opened, place_of
from feedlogs import key, records
from forebay.msgstore import Put, StoreSettings
from forebay_spark.errors import JobError, OptionError
from forebay_spark.figures import Figures
from forebay_spark.jobs import verify_messages


@pytest.fixture
def verify(spark):
    def run(folder: Path) -> Figures:
        return verify_messages.run(argparse.Namespace(data=folder), spark)

    return run


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """After a clean stop: peers need the articles 0 to 9 and 20 to 39, of those up to 9 one peer alone."""
    async with opened(tmp_path) as data:
        await data.accept(0, 40)
        await data.release(range(10), peers=[0])
        await data.release(range(10, 20))
    return tmp_path


def faults(figures: Figures) -> dict[str, int]:
    assert bool(figures.failures) == bool(figures.values["faults"])
    return figures.values["faults"]


def test_sound_store_has_no_fault(verify, folder):
    figures = verify(folder)
    assert faults(figures) == {}
    assert figures.values["messages"] == 30
    assert figures.values["files"] == len(message_files(folder))


def test_garbage_is_told_by_file(verify, folder, capsys):
    octets = verify(folder).values["garbageBytes"]
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["file", "octets", "garbage", "damaged"]
    assert sum(int(line[2].replace(",", "")) for line in lines[1:]) == octets > 0


@pytest.mark.parametrize("at", [0, 17, 100, 999], ids=["id", "end of the id", "body", "end of the body"])
def test_flipped_byte_is_found_and_nothing_else(verify, folder, at):
    file, place = place_of(folder, 25)
    flip(file, place + at)
    assert faults(verify(folder)) == {"damaged": 1}


def test_flipped_byte_in_the_last_record_is_found(verify, folder):
    file, place = place_of(folder, 39)
    flip(file, place + 100)
    assert faults(verify(folder)) == {"damaged": 1}


def test_flipped_byte_is_named(verify, folder, capsys):
    file, place = place_of(folder, 25)
    flip(file, place + 100)
    verify(folder)
    assert f"damaged: message {key(25).hex()}" in capsys.readouterr().out


def test_missing_file_leaks_the_references_to_what_was_in_it(verify, folder):
    before = verify(folder).values["messages"]
    message_files(folder)[-1].unlink()
    figures = verify(folder)
    assert faults(figures) == {"leaked": before - figures.values["messages"]}


async def test_orphan_is_found_and_nothing_else(verify, tmp_path, capsys):
    async with opened(tmp_path) as data:
        await data.accept(0, 5)
        await data.put([99])
    assert faults(verify(tmp_path)) == {"orphan": 1}
    assert f"orphan: message {key(99).hex()}" in capsys.readouterr().out


async def test_leaked_reference_is_found_and_nothing_else(verify, tmp_path, capsys):
    async with opened(tmp_path) as data:
        await data.accept(0, 5)
        await data.log.append(records(5, 1, 0b01))
    assert faults(verify(tmp_path)) == {"leaked": 1}
    assert f"leaked: message {key(5).hex()}" in capsys.readouterr().out


async def test_wrong_count_is_found_and_nothing_else(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 5)
        data.store.remove([key(3)])
    assert faults(verify(tmp_path)) == {"miscounted": 1}


async def test_every_planted_fault_is_found_once(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 60)
        await data.put([97, 98, 99])
        await data.log.append(records(60, 2, 0b01))
    for number in (7, 30):
        file, place = place_of(tmp_path, number)
        flip(file, place + 200)
    assert faults(verify(tmp_path)) == {"damaged": 2, "orphan": 3, "leaked": 2}


async def test_running_service_is_verified(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 40)
        await data.release(range(15))
        figures = verify(tmp_path)
        assert faults(figures) == {}
        assert figures.values["messages"] == 25


async def test_busy_service_has_no_fault(verify, tmp_path):
    async with opened(tmp_path, StoreSettings(file_size=1 << 19, reserve=0)) as data:
        await data.accept(0, 1000, size=8000)
        verifying = asyncio.create_task(asyncio.to_thread(verify, tmp_path))
        first = 0
        while not verifying.done() or first < 400:
            # Most go, so that files are combined and what stays is moved.
            await data.release([number for number in range(first, first + 20) if number % 10])
            await data.accept(first + 1000, 20, size=8000)
            first += 20
            await asyncio.sleep(0.1)
        assert faults(await verifying) == {}
    assert not message_file(tmp_path, 1).exists()


async def test_leaked_reference_of_a_running_service_is_found(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        await data.log.append(records(3, 1, 0b01))
        assert faults(verify(tmp_path)) == {"leaked": 1}


async def test_message_of_a_killed_service_that_was_not_logged_is_garbage(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        await data.put([99])
        figures = verify(tmp_path)
    assert faults(figures) == {}
    assert figures.values["garbageBytes"] > 1000


async def test_unfinished_write_is_no_fault(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        with message_files(tmp_path)[-1].open("ab") as file:
            file.write(b"half a record")
        figures = verify(tmp_path)
        assert faults(figures) == {}
        assert figures.values["tornFiles"] == 1


async def test_damage_of_the_log_is_found(verify, folder):
    flip(folder / "feed" / "ownership" / "0000000000.journal", 40)
    assert "damaged" in faults(verify(folder))


def test_damage_of_the_index_is_found_and_nothing_else(verify, folder):
    flip(folder / "messages" / "persistent" / "index.snapshot", 200)
    assert faults(verify(folder)) == {"damaged": 1}


async def test_message_put_again_is_told_of_once(verify, tmp_path):
    async with opened(tmp_path) as data:
        await data.accept(0, 3)
        await data.release([1])
        await data.store.put([Put(key(1), (b"again" * 100,), 2)])
        await data.log.append(records(1, 1, 0b11))
    figures = verify(tmp_path)
    assert faults(figures) == {}
    assert figures.values["messages"] == 3


def test_folder_that_is_never_written_to_is_left_as_it_is(verify, folder):
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    verify(folder)
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before


def test_folder_without_messages_is_refused(verify, tmp_path):
    with pytest.raises(OptionError, match="data folder"):
        verify(tmp_path)


def test_store_of_a_newer_release_is_refused(verify, folder):
    for file in message_files(folder):
        data = file.read_bytes()
        head = data[:8] + (2).to_bytes(2, "big") + data[10:28]
        file.write_bytes(head + value(head).to_bytes(4, "big") + data[32:])
    with pytest.raises(JobError, match="upgrade"):
        verify(folder)
