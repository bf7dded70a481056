"""The octets of a job."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from forebay.announcer.announce import Announce, Event
from forebay.announcer.forwarding.job import Job
from forebay.announcer.lasting.jobcodec import Times, decode, due, encode, key_of
from forwardings import announce, octets

DIGEST = b"12345678"
NOW = Times(monotonic=1000.0, wall=1_700_000_000.0)
LATER = Times(monotonic=50.0, wall=1_700_000_600.0)
"""Ten minutes later, after the machine was started anew."""

ANNOUNCES = some.builds(
    Announce,
    info_hash=some.binary(min_size=20, max_size=20),
    peer_id=some.binary(min_size=20, max_size=20),
    port=some.integers(0, 65535),
    uploaded=some.integers(0, 2**64 - 1),
    downloaded=some.integers(0, 2**64 - 1),
    left=some.none() | some.integers(0, 2**64 - 1),
    event=some.sampled_from(Event),
    numwant=some.none() | some.integers(0, 2**32 - 1),
    key=some.binary(max_size=32),
    address=some.binary(min_size=4, max_size=4) | some.binary(min_size=16, max_size=16),
    compact=some.booleans(),
    no_peer_id=some.booleans(),
)


@given(ANNOUNCES, some.text(min_size=1, max_size=63), some.integers(1, 20))
def test_a_job_comes_back_as_it_was(announced, forwarder, attempt):
    job = Job(announced, forwarder, 990.0, None, attempt)
    assert decode(encode(job, DIGEST, NOW), NOW) == (job, DIGEST)


def test_times_are_kept_by_the_wall_clock():
    job = Job(announce(), "one", made=990.0, scheduled=1900.0)
    back = decode(encode(job, DIGEST, NOW), LATER).job
    # 10 s before the one clock's 1000 is 610 s before the other's 50.
    assert (back.made, back.scheduled) == (-560.0, 350.0)


def test_numbers_that_are_too_large_are_cut():
    job = Job(announce(uploaded=10**20 - 1, numwant=10**20 - 1), "one", 990.0)
    back = decode(encode(job, DIGEST, NOW), NOW).job.announce
    assert (back.uploaded, back.numwant) == (2**64 - 1, 2**32 - 1)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _: b"", id="nothing"),
        pytest.param(lambda kept: kept[:90], id="cut"),
        pytest.param(lambda kept: b"\x02" + kept[1:], id="version"),
        pytest.param(lambda kept: kept[:2] + b"\x09" + kept[3:], id="event"),
        pytest.param(lambda kept: kept[:99] + b"\x05" + kept[100:], id="address"),
        pytest.param(lambda kept: kept + b"\xff", id="name"),
    ],
)
def test_what_is_no_job_is_refused(change):
    with pytest.raises(ValueError, match=r"."):
        decode(change(encode(Job(announce(), "one", 990.0), DIGEST, NOW)), NOW)


@given(some.binary(max_size=200))
def test_any_octets_are_a_job_or_refused(kept):
    with suppress(ValueError):
        decode(b"\x01" + kept, NOW)


def test_a_row_is_named_by_client_and_forwarder_and_placed_by_its_time():
    job = Job(announce("t", "p"), "one", made=990.0)
    assert key_of(job.pending_key) == octets("t") + octets("p") + b"one"
    assert due(job, NOW) == 1_699_999_990_000_000
    assert due(job._replace(scheduled=1001.5), NOW) == 1_700_000_001_500_000
