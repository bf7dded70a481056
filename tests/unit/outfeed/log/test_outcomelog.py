import json
import threading

import pytest

from eventually import eventually
from fakeclock import FakeClock
from feedlogs import tokens
from forebay.outfeed.log.outcomefiles import OutcomeFiles, OutcomeLogSettings
from forebay.outfeed.log.outcomelog import OutcomeLog
from forebay.outfeed.token import Token
from powerloss import PowerLossDisk

NOW = 1_700_000_000_000


@pytest.fixture
def disk() -> PowerLossDisk:
    return PowerLossDisk()


def lines(disk: PowerLossDisk, ending: str = ".jsonl") -> list[dict[str, object]]:
    names = [name for name in disk.names("outcomes") if name.endswith(ending)]
    return [json.loads(line) for name in names for line in disk.contents(f"outcomes/{name}").splitlines()]


def outcome_log(disk: PowerLossDisk, group: bytes = b"misc.test", **settings: float) -> OutcomeLog:
    return OutcomeLog(disk, OutcomeLogSettings(**settings), FakeClock(), lambda seqs: [group for _ in seqs])


def outcome_files(disk: PowerLossDisk, clock: FakeClock, **settings: float) -> OutcomeFiles:
    files = OutcomeFiles(disk, OutcomeLogSettings(**settings), clock)
    files.recover()
    return files


def test_every_outcome_is_a_line(disk):
    log = outcome_log(disk)
    log.add("peer", "refused", "438 got it", tokens(0, 2))
    log.close()
    head = {"time": NOW, "peer": "peer", "outcome": "refused", "reason": "438 got it"}
    assert lines(disk) == [
        {**head, "message_id": "<0@example.org>", "group": "misc.test", "size": 1000},
        {**head, "message_id": "<1@example.org>", "group": "misc.test", "size": 1001},
    ]


def test_awkward_names_are_quoted(disk):
    log = outcome_log(disk, 'grüße "test"'.encode())
    log.add('100% "peer"\n', "rejected", "439 \\ 50%", [Token(b'<"\xff%d@x>', b"", 1, 2, 3, 0)])
    log.close()
    (line,) = lines(disk)
    assert line["peer"] == '100% "peer"\n'
    assert line["reason"] == "439 \\ 50%"
    assert line["message_id"] == '<"\ufffd%d@x>'
    assert line["group"] == 'grüße "test"'


def test_no_outcomes_are_no_line(disk):
    log = outcome_log(disk)
    log.add("peer", "refused", "438", [])
    log.add("peer", "refused", "438", tokens(0, 1))
    log.close()
    assert len(lines(disk)) == 1


def test_a_sample_of_the_backlog_is_a_line(disk):
    log = outcome_log(disk)
    log.sample("peer", {"queued": 5, "deferred": 2})
    log.close()
    assert lines(disk) == [{"time": NOW, "peer": "peer", "backlog": {"queued": 5, "deferred": 2}}]


def test_what_waits_in_memory_is_bounded(disk):
    log = outcome_log(disk, pending=10)
    with disk.lock:
        log.add("peer", "accepted", "", tokens(0, 10))
        log.add("peer", "accepted", "", tokens(10, 30))
    log.close()
    assert log.lost == 30
    assert len(lines(disk)) == 10


async def test_a_full_disk_costs_outcomes_and_nothing_else(disk):
    disk.limit = 100
    log = outcome_log(disk, reserve=0)
    log.add("peer", "accepted", "", tokens(0, 5))
    await eventually(lambda: log.unwritten == 5)
    disk.limit = 1 << 30
    log.add("peer", "accepted", "", tokens(5, 1))
    log.close()
    assert len(lines(disk)) == 1


def test_the_reserve_is_left_to_articles(disk):
    disk.limit = 1000
    log = outcome_log(disk, reserve=2000)
    log.add("peer", "accepted", "", tokens(0, 5))
    log.close()
    assert log.unwritten == 5
    assert lines(disk, "") == []


def test_closing_ends_the_thread(disk):
    outcome_log(disk).close()
    assert "outcome-log" not in [thread.name for thread in threading.enumerate()]


def test_a_full_file_is_closed_under_the_name_for_others(disk):
    clock = FakeClock()
    files = outcome_files(disk, clock, file_size=10)
    files.write(b'{"a":1}\n{"a":2}\n')
    assert disk.names("outcomes") == ["1700000000000.part"]
    files.write(b'{"a":3}\n')
    assert disk.names("outcomes") == ["1700000000000.jsonl", "1700000000001.part"]
    assert lines(disk.after_power_loss()) == [{"a": 1}, {"a": 2}]


def test_an_old_file_is_closed_and_an_empty_one_never_made(disk):
    clock = FakeClock()
    files = outcome_files(disk, clock, file_age=60)
    files.write(b"{}\n")
    clock.advance(59)
    files.rotate()
    assert disk.names("outcomes") == ["1700000000000.part"]
    clock.advance(1)
    files.rotate()
    clock.advance(60)
    files.rotate()
    assert disk.names("outcomes") == ["1700000000000.jsonl"]


def test_the_oldest_files_are_deleted_when_all_are_too_large(disk):
    clock = FakeClock()
    files = outcome_files(disk, clock, file_size=1, total_size=20)
    for number in range(5):
        files.write(b'{"a":%d}\n' % number)
        clock.advance(1)
    files.close()
    assert lines(disk) == [{"a": 3}, {"a": 4}]
    assert files.deleted == 3


def test_files_that_others_took_are_no_matter(disk):
    files = outcome_files(disk, FakeClock(), file_size=1, total_size=20)
    files.write(b"{}\n")
    files.close()
    disk.unlink("outcomes/1700000000000.jsonl")
    files.write(b"{}\n")
    files.close()
    assert files.deleted == 0


def test_what_a_crash_left_open_is_closed_up_to_its_last_whole_line(disk):
    disk.make_folder("outcomes")
    disk.create("outcomes/1.part").append([b'{"a":1}\n{"a":'])
    disk.create("outcomes/2.part").append([b'{"a":'])
    outcome_files(disk, FakeClock())
    assert disk.names("outcomes") == ["1.jsonl"]
    assert lines(disk) == [{"a": 1}]


def test_file_that_others_take_just_before_it_is_deleted_is_no_matter():
    class SharedDisk(PowerLossDisk):
        def unlink(self, name):
            super().unlink(name)
            super().unlink(name)

    files = outcome_files(SharedDisk(), FakeClock(), file_size=1, total_size=0)
    files.write(b"{}\n")
    files.write(b"{}\n")
    files.close()
    assert files.deleted == 0
