"""Which pod becomes primary, and when."""

import asyncio
from random import Random

import pytest

from fakeclock import FakeClock
from forebay.runtime.lease import Lease
from forebay.store.mirroring.membership import STEP
from forebay.store.standby.candidate import Candidate
from unit.store.mirroring.mirrors import Record


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def leases():
    """Of the pods that stand for election."""
    return []


@pytest.fixture
async def stand(clock, leases):
    """Have a pod stand for election."""
    tasks = []

    def stand(record, name="main-1", *, has=True):
        leases.append(Lease(record, name, clock, Random(1)))
        candidate = Candidate(name, leases[-1], record, clock, lambda first: has or first)
        tasks.append(asyncio.ensure_future(candidate.elected()))
        candidate.task = tasks[-1]
        return candidate

    yield stand
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for lease in leases:
        await lease.release()


async def test_the_first_pod_of_all_leads_alone(stand, clock):
    record = Record(holder="")
    candidate = stand(record, has=False)
    await clock.run(1)
    candidate.task.result()
    assert (record.holder, record.note) == ("main-1", "main-1")


async def test_a_member_leads_once_the_lease_is_free(stand, clock):
    record = Record("main-0,main-2,main-1")
    candidate = stand(record)
    await clock.run(5)
    assert not candidate.task.done()
    assert candidate.primary == "main-0"
    record.holder = ""
    await clock.run(2)
    candidate.task.result()
    assert record.note == "main-1"
    assert record.patience == STEP


@pytest.mark.parametrize("note", ["main-0", "main-0,main-2"])
async def test_who_lacks_something_never_leads(stand, clock, note):
    record = Record(note, holder="")
    candidate = stand(record)
    await clock.run(60)
    assert not candidate.task.done()
    assert record.holder == ""


async def test_a_member_whose_disk_is_empty_never_leads(stand, clock):
    record = Record("main-0,main-1", holder="")
    candidate = stand(record, has=False)
    await clock.run(60)
    assert not candidate.task.done()


async def test_a_member_that_was_left_out_just_before_gives_the_lease_back(stand, clock):
    record = Record("main-0,main-1", holder="")
    take = record.take

    async def taken(holder, seconds, patience=0.0):
        record.notes.append("main-0")
        return await take(holder, seconds, patience)

    record.take = taken
    candidate = stand(record)
    await clock.run(5)
    assert not candidate.task.done()
    assert record.holder == ""
    assert record.note == "main-0"


async def test_who_has_lost_the_lease_before_the_set_was_written_relies_on_it_no_more(stand, clock, leases):
    record = Record("main-1,main-0", holder="")
    write_note = record.write_note

    async def too_late(holder, note):
        record.holder, record.write_note = "main-0", write_note
        return await write_note(holder, note)

    record.write_note = too_late
    candidate = stand(record)
    await clock.run(1)
    assert not candidate.task.done()
    assert not leases[0].held
    assert record.holder == "main-0"
    record.holder = ""
    await clock.run(2)
    candidate.task.result()
    await clock.run(60)
    assert leases[0].held
    assert not leases[0].lost.is_set()


async def test_an_api_server_that_does_not_answer_is_waited_for(stand, clock):
    record = Record("main-1", holder="")
    record.broken = True
    candidate = stand(record)
    await clock.run(5)
    record.broken = False
    await clock.run(2)
    candidate.task.result()
