"""Announces over UDP to a scripted tracker."""

import asyncio
import struct

import pytest

from eventually import eventually
from fakeclock import FakeClock
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.upstream.udpchannel import CONNECTION_LIFE
from forebay.announcer.upstream.udpupstream import CHANNEL_LIFE, UdpUpstream
from forwardings import announce, spec
from openfiles import open_files
from ports import free_port, loopbacks
from trackers import V4, V6, UdpTracker

GOOD = Answer(900.0, V4, b"", 3, 4)
NO_ID = Failure(Cause.FAILURE_REASON, "unknown connection id")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
async def timed(clock):
    """A client whose connection ids age by a clock of the test's own."""
    client = UdpUpstream(clock)
    yield client
    await client.close()


async def test_an_announce(udp, udp_tracker):
    assert await udp.announce(spec(url=udp_tracker.url("/announce?pk=1")), announce()) == GOOD
    assert udp_tracker.announces[0].endswith(b"\x02\x0e/announce?pk=1")


async def test_one_connection_and_one_socket_serve_many_announces(udp, udp_tracker):
    for _ in range(3):
        assert await udp.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert len(udp_tracker.connects) == 1
    assert len(udp_tracker.sources) == 1


async def test_many_announces_at_once(udp, udp_tracker):
    asked = [udp.announce(spec(url=udp_tracker.url()), announce(f"t{number}")) for number in range(100)]
    assert await asyncio.gather(*asked) == [GOOD] * 100
    assert len(udp_tracker.connects) == 1
    assert len(udp_tracker.sources) == 1


async def test_a_lost_connect_is_repeated(hasty, udp_tracker):
    udp_tracker.drop_connects = 1
    assert await hasty.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert len(udp_tracker.connects) > 1


async def test_a_lost_announce_is_repeated(hasty, udp_tracker):
    udp_tracker.drop_announces = 2
    assert await hasty.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert len(udp_tracker.announces) > 2


async def test_after_nine_packets_it_gives_up(udp_tracker):
    client = UdpUpstream(FakeClock(), patience=0.001)
    udp_tracker.drop_connects = 100
    failed = await client.announce(spec(url=udp_tracker.url()), announce())
    assert failed == Failure(Cause.TIMEOUT, "no answer to 9 packets")
    assert len(udp_tracker.connects) == 9
    await client.close()


async def test_packets_that_nobody_asked_for_are_ignored(udp, udp_tracker):
    udp_tracker.strangers = True
    for _ in range(2):
        assert await udp.announce(spec(url=udp_tracker.url()), announce()) == GOOD


async def test_a_connection_id_is_used_for_sixty_seconds(timed, clock, udp_tracker):
    await timed.announce(spec(url=udp_tracker.url()), announce())
    clock.advance(CONNECTION_LIFE - 0.1)
    await timed.announce(spec(url=udp_tracker.url()), announce())
    assert len(udp_tracker.connects) == 1
    clock.advance(0.1)
    await timed.announce(spec(url=udp_tracker.url()), announce())
    assert len(udp_tracker.connects) == 2


async def test_names_are_resolved_anew_after_a_time(timed, clock, udp_tracker):
    await timed.announce(spec(url=udp_tracker.url()), announce())
    clock.advance(CHANNEL_LIFE)
    assert await timed.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert len(udp_tracker.sources) == 2


async def test_a_socket_that_another_has_replaced_is_closed_when_its_last_user_leaves(timed, clock, udp_tracker):
    await timed.announce(spec(url=udp_tracker.url()), announce())
    files = open_files()
    udp_tracker.drop_announces = 1
    held = asyncio.create_task(timed.announce(spec(url=udp_tracker.url()), announce()))
    await eventually(lambda: len(udp_tracker.announces) == 2)
    clock.advance(CHANNEL_LIFE)
    assert await timed.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert open_files() == files + 1
    held.cancel()
    await asyncio.wait([held])
    await eventually(lambda: open_files() == files)


async def test_a_socket_that_is_not_used_is_closed_when_others_are(timed, clock, udp_tracker):
    other = UdpTracker()
    await other.start()
    await timed.announce(spec(url=udp_tracker.url()), announce())
    files = open_files()
    clock.advance(CONNECTION_LIFE + 0.1)
    await timed.announce(spec(url=other.url()), announce())
    await eventually(lambda: open_files() == files)
    other.stop()


async def test_an_expired_connection_id_is_renewed_and_the_announce_sent_again(udp, udp_tracker):
    await udp.announce(spec(url=udp_tracker.url()), announce())
    udp_tracker.ids.clear()
    assert await udp.announce(spec(url=udp_tracker.url()), announce()) == GOOD
    assert len(udp_tracker.connects) == 2
    assert len(udp_tracker.announces) == 3


async def test_an_error_that_a_new_connection_id_does_not_mend_is_a_failure(udp, udp_tracker):
    udp_tracker.refuse_announces = 2
    assert await udp.announce(spec(url=udp_tracker.url()), announce()) == NO_ID
    assert len(udp_tracker.announces) == 2


async def test_an_error_to_a_connect_is_a_failure(udp, udp_tracker):
    udp_tracker.refuse_connects = 1
    assert await udp.announce(spec(url=udp_tracker.url()), announce()) == Failure(Cause.FAILURE_REASON, "full")
    assert await udp.announce(spec(url=udp_tracker.url()), announce()) == GOOD


async def test_a_short_answer(udp, udp_tracker):
    udp_tracker.answer = b""
    assert (await udp.announce(spec(url=udp_tracker.url()), announce())).cause is Cause.BAD_ANSWER


async def test_nobody_listens(udp):
    failed = await udp.announce(spec(url=f"udp://127.0.0.1:{free_port()}/announce"), announce())
    assert failed.cause is Cause.CONNECTION_REFUSED


async def test_a_name_that_does_not_exist(udp):
    failed = await udp.announce(spec(url="udp://no-such-name.invalid:6969/announce"), announce())
    assert failed.cause is Cause.NAME_UNKNOWN


async def test_one_that_is_given_up_does_not_hinder_the_next(udp, udp_tracker):
    udp_tracker.drop_announces = 1
    asked = asyncio.create_task(udp.announce(spec(url=udp_tracker.url()), announce()))
    await eventually(lambda: udp_tracker.announces)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert await udp.announce(spec(url=udp_tracker.url()), announce()) == GOOD


async def test_closing_ends_what_is_in_flight(udp_tracker):
    client = UdpUpstream(FakeClock())
    udp_tracker.drop_announces = 1000
    asked = asyncio.create_task(client.announce(spec(url=udp_tracker.url()), announce()))
    await eventually(lambda: udp_tracker.announces)
    await client.close()
    assert (await asked).cause is Cause.CONNECTION_LOST


@pytest.mark.skipif("::1" not in loopbacks(), reason="needs IPv6")
async def test_peers_are_of_the_family_of_the_packet(udp):
    tracker = UdpTracker()
    tracker.answer = struct.pack(">III", 900, 4, 3) + V6
    await tracker.start("::1")
    assert await udp.announce(spec(url=tracker.url()), announce()) == Answer(900.0, b"", V6, 3, 4)
    tracker.stop()
