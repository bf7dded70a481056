import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay_spark.findings import LEAKED, MISCOUNTED, ORPHAN, Findings, Message, Stretch
from forebay_spark.messagejudge import Judge
from forebay_spark.messagerows import ROW, Kind, Rows, packed, shared, unpacked
from forebay_spark.verdict import LINES, Fault, FileVerdict, Verdict

CLOSED = Judge(asks_twice=False, has_index=True)
RUNNING = Judge(asks_twice=True, has_index=False)
SIZES = {1: 1032, 2: 532}


def row(number: int, kind: Kind, value: int = 0, *, stamp: int = -2, file: int = 0, octets: int = 0) -> Rows:
    return np.array([(number, 7, stamp, file, 40, octets, value, kind)], ROW)


def record(number: int, stamp: int = 1, file: int = 1, octets: int = 100) -> Rows:
    return row(number, Kind.RECORD, stamp=stamp, file=file, octets=octets)


def owners(number: int, count: int = 1) -> Rows:
    return row(number, Kind.OWNERS, count)


def later(number: int) -> Rows:
    return row(number, Kind.LATER, 1)


def counted(number: int, count: int = 1, file: int = 1) -> Rows:
    return row(number, Kind.COUNTED, count, stamp=-1, file=file)


def name(number: int) -> bytes:
    return number.to_bytes(8, "big") + (7).to_bytes(8, "big")


def faults(findings: Findings) -> dict[str, int]:
    return {kind: count for kind, count in findings.faults.items() if count}


def test_message_that_is_needed_stored_and_counted_is_sound():
    findings = CLOSED.judge([record(1), owners(1, 2), counted(1, 2)])
    assert faults(findings) == {}
    assert (findings.messages, findings.live) == (1, {1: 100})


def test_owners_of_several_rows_add_up():
    assert faults(CLOSED.judge([record(1), owners(1, 2), owners(1, 1), counted(1, 3)])) == {}


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([record(1), counted(1)], ORPHAN),
        ([owners(1)], LEAKED),
        ([owners(1), counted(1)], LEAKED),
        ([record(1), owners(1), counted(1, 2)], MISCOUNTED),
        ([record(1), owners(1)], MISCOUNTED),
    ],
    ids=["nobody needs it", "never there", "only in the index", "one too many", "not in the index"],
)
def test_fault_is_told_with_the_message(rows, kind):
    findings = CLOSED.judge([*rows, record(2), owners(2), counted(2)])
    assert faults(findings) == {kind: 1}
    assert [message.id for message in findings.faulty[kind]] == [name(1)]


def test_record_that_nobody_needs_nor_counts_is_garbage():
    findings = CLOSED.judge([record(1)])
    assert faults(findings) == {}
    assert findings.live == {}


def test_newest_record_of_a_message_is_the_live_one():
    rows = [record(1, stamp=9, file=2, octets=50), record(1, stamp=4, file=1), owners(1), counted(1)]
    assert CLOSED.judge(rows).live == {2: 50}


def test_message_that_was_needed_only_once_is_not_missed():
    assert faults(RUNNING.judge([owners(1), later(2)])) == {}
    assert faults(RUNNING.judge([owners(1), later(1)])) == {LEAKED: 1}


def test_rows_of_a_message_share_a_bucket():
    rows = np.zeros(100, ROW)
    rows["low"] = np.arange(100) % 17
    parts = {bucket: unpacked(piece) for bucket, piece in shared(rows, 4)}
    assert sum(map(len, parts.values())) == 100
    assert all(set(part["low"] % 4) == {bucket} for bucket, part in parts.items())


@given(
    st.lists(
        st.tuples(*[st.integers(0, 2**64 - 1)] * 2, *[st.integers(-(2**63), 2**63 - 1)] * 5, st.integers(0, 3)),
        min_size=1,
    )
)
def test_rows_come_out_as_they_were_packed(values):
    rows = np.array(values, ROW)
    assert unpacked(packed(rows)).tolist() == rows.tolist()


def test_numbers_that_differ_little_take_little_room():
    rows = np.zeros(1000, ROW)
    rows["stamp"] = 2**40 + np.arange(1000) % 200
    rows["value"] = 7
    assert len(pickle.dumps(packed(rows), 5)) < 18 * len(rows)


def stretch(id: bytes = b"", *, is_torn: bool = False) -> Stretch:
    return Stretch(1, 40, 100, id, is_torn)


def broken(*stretches: Stretch) -> Findings:
    whole = sum(not found.is_torn for found in stretches)
    return Findings(damaged={1: whole}, torn=len(stretches) - whole, stretches=stretches)


def missing(message: Message) -> Findings:
    return Findings(faults={LEAKED: 1}, faulty={LEAKED: (message,)})


BY_NAME = Message(name(1), None, None)
BY_PLACE = Message(name(1), 1, 90)


@pytest.mark.parametrize("is_torn", [False, True], ids=["inside", "at the end"])
@pytest.mark.parametrize(("id", "message"), [(name(1), BY_NAME), (b"", BY_PLACE)], ids=["by name", "by place"])
def test_message_that_is_lost_by_damage_is_told_of_once(is_torn, id, message):
    verdict = (broken(stretch(id, is_torn=is_torn)) + missing(message)).verdict(SIZES)
    assert verdict.faults == {"damaged": 1}
    assert [fault.kind for fault in verdict.named] == ["damaged"]
    assert verdict.files[0].damaged == 1
    assert verdict.torn == 0


def test_message_elsewhere_than_the_damage_is_leaked():
    verdict = (broken(stretch()) + missing(Message(name(1), 1, 140)) + missing(Message(name(2), 2, 90))).verdict(SIZES)
    assert verdict.faults == {"damaged": 1, LEAKED: 2}


def test_unfinished_write_that_nobody_counts_on_is_no_fault():
    verdict = broken(stretch(name(1), is_torn=True)).verdict(SIZES)
    assert (verdict.faults, verdict.torn) == ({}, 1)


def test_findings_of_tasks_add_up():
    one = CLOSED.judge([record(1), owners(1), counted(1), owners(2)])
    other = CLOSED.judge([record(3, octets=7), owners(3), counted(3), owners(4)])
    together = one + other
    assert (together.messages, together.live, faults(together)) == (2, {1: 107}, {LEAKED: 2})


def test_garbage_is_what_is_neither_live_nor_the_head():
    verdict = Findings(live={1: 300}).verdict(SIZES)
    assert [file.garbage for file in verdict.files] == [700, 500]


def test_table_has_the_worst_first_and_is_bounded():
    files = [FileVerdict(number, 1000, number, 0) for number in range(200)]
    faults = [Fault("leaked", f"message {number}") for number in range(200)]
    lines = list(Verdict([FileVerdict(999, 1000, 999, 1), *files], 0, 0, {"leaked": 5000}, faults).lines())
    assert lines[1].split()[0] == "999"
    assert len(lines) == 2 * LINES + 3
    assert lines[-1] == f"and {5000 - LINES:,} more faults"
