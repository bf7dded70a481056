"""What cannot be read is told, never raised."""

import gc
import random
import sys
import tracemalloc

import pytest

from conftest import SCALE
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.messages import Ping, Scout

from .datagrams import ALL

DATAGRAMS = 100_000 * SCALE


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        pytest.param("00", "no message has the id 0", id="id 0"),
        pytest.param("15", "no message has the id 21", id="an id without a body"),
        pytest.param("1f", "no message has the id 31", id="the highest id"),
        pytest.param("01", "the datagram ends before the mask", id="nothing behind the id"),
        pytest.param("0185", "the datagram ends before the mask", id="half a number"),
        pytest.param("018500", "the mask has zeros at its upper end", id="a number that is padded"),
        pytest.param("01" + "ff" * 9 + "02", f"the mask is not below {1 << 64}", id="a number of 65 bits"),
        pytest.param("01" + "ff" * 60_000, f"the mask is not below {1 << 64}", id="a number without an end"),
        pytest.param("0201ff01", "the count of locators is 255, the datagram ends after 0 octets", id="locators"),
        pytest.param(
            "210101", "the count of properties is 1, the datagram ends after 0 octets", id="too few properties"
        ),
        pytest.param("0500", "the peer id has 0 octets, not 1 to 16", id="no peer id"),
        pytest.param("1011" + "aa" * 17, "the peer id has 17 octets, not 1 to 16", id="a long peer id"),
        pytest.param("0501aa", "the datagram ends before the reason", id="no reason"),
        pytest.param("2301" + "01aa" + "8080808010", f"the lease is not below {1 << 32}", id="a lease"),
        pytest.param("6780800102020135", "the number of a sample is not below 16384", id="a number of 15 bits"),
        pytest.param("6780000202" + "0135", "the number of a sample has zeros at its upper end", id="padded number"),
        pytest.param("6701820000", "the id of a resource has zeros at its upper end", id="padded id"),
        pytest.param("670102800000", "the payload has zeros at its upper end", id="padded length"),
        pytest.param("6701020342", "the payload has 3 octets, the datagram ends after 1", id="a short payload"),
        pytest.param("670102", "the datagram ends before the payload", id="no payload"),
        pytest.param("6701", "the datagram ends before the id of a resource", id="no resource"),
        pytest.param("67", "the datagram ends before the number of a sample", id="a sample without a number"),
        pytest.param("ee8180", "the datagram ends before the number of a sample", id="half a synch"),
        pytest.param("0f808001", "the number of a sample is not below 16384", id="a number of an ack"),
        pytest.param("2f0080", "the datagram ends before the mask", id="half a mask"),
        pytest.param("138002", "the conduit is not below 256", id="a conduit"),
        pytest.param("13", "the datagram ends before the conduit", id="no conduit"),
        pytest.param("06000101", "the datagram ends before the id of a declaration", id="half a declaration"),
        pytest.param("06000100", "no declaration has the kind 0", id="declaration of kind 0"),
        pytest.param("0600010e", "no declaration has the kind 14", id="declaration of kind 14"),
        pytest.param("060001030200", "no subscription mode is 0", id="mode 0"),
        pytest.param("060001030206", "no subscription mode is 6", id="mode 6"),
        pytest.param("0600010302038080808010", f"the origin of a subscription is not below {1 << 32}", id="a period"),
        pytest.param("0600020402", "the datagram ends before the query of a selection", id="fewer declarations"),
        pytest.param("12030247040201", "a fragment does not tell how many there are", id="fragments uncounted"),
        pytest.param(
            "520302", "the datagram ends before the message behind the marker of a fragment", id="marker alone"
        ),
        pytest.param("52030201", "a message with the id 1 is no fragment", id="no fragment"),
        pytest.param("08010203", "the count of samples is 3, the datagram ends after 0 octets", id="half a batch"),
        pytest.param("1a" + "00" * 40, "no message has the id 26", id="sealed, and not opened"),
    ],
)
def test_the_reason_is_told(octets: str, reason: str):
    messages, malformed = decode(bytes.fromhex(octets), 14)
    assert (messages, malformed) == ([], (0, reason))


def test_what_came_before_is_kept_and_the_place_told():
    messages, malformed = decode(bytes.fromhex("01050c07ff"), 14)
    assert messages == [Scout(5), Ping(7)]
    assert malformed == (4, "no message has the id 31")


def test_samples_before_damage_are_kept_and_the_place_told():
    good = bytes.fromhex("670002020135")
    messages, malformed = decode(good * 3 + good[:4], 14)
    assert len(messages) == 3
    assert malformed is not None
    assert malformed.offset == 18


def test_an_empty_datagram_holds_nothing():
    assert decode(b"", 14) == ([], None)


@pytest.mark.parametrize("name", ALL)
def test_a_message_cut_short_anywhere_is_told(name: str):
    octets = bytes.fromhex(ALL[name][0])
    for size in range(1, len(octets)):
        messages, malformed = decode(octets[:size], 14)
        assert malformed is not None or not messages


def fuzzed(random_: random.Random) -> bytes:
    """Octets of no meaning, or messages of which some octets were changed, removed or repeated."""
    if random_.random() < 0.3:
        return random_.randbytes(random_.randrange(1, 200))
    octets = bytearray(
        b"".join(bytes.fromhex(ALL[name][0]) for name in random_.choices(list(ALL), k=random_.randrange(1, 6)))
    )
    for _ in range(random_.randrange(4)):
        place = random_.randrange(len(octets))
        octets[place : place + random_.randrange(3)] = random_.randbytes(random_.randrange(3))
        octets = octets or bytearray(1)
    return bytes(octets)


@pytest.mark.timeout(300 * SCALE)
def test_nothing_is_raised_and_nothing_kept_whatever_comes():
    random_ = random.Random(9)
    tracemalloc.start()
    try:
        for _ in range(1000):
            decode(fuzzed(random_), 14)
        gc.collect()  # it empties the interpreter's lists of free tuples, which count as memory in use
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(DATAGRAMS):
            messages, malformed = decode(octets := fuzzed(random_), random_.choice((14, 28)))
            assert len(messages) <= len(octets)
            assert malformed is None or malformed.offset < len(octets)
        _, peak = tracemalloc.get_traced_memory()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000
    assert peak - before < 1_000_000


def calls_of(octets: bytes) -> int:
    """How many calls the decoder makes: what it costs, told without a clock."""
    count = 0

    def counted(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        decode(octets, 14)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    ["670002020135", "c70102020135", "2f01ffff7f", "0600010302 01", "b30f01", "480102020161026263", "0201020141 0142"],
)
def test_work_grows_with_the_datagram_and_no_faster(unit: str):
    octets = bytes.fromhex(unit)
    assert calls_of(octets * 1000) <= 1000 * (calls_of(octets) + 1)


@pytest.mark.parametrize("head", ["21", "2201", "0600", "4801 02"])
def test_a_count_that_is_a_lie_costs_nothing(head: str):
    assert calls_of(bytes.fromhex(head + "ffffffff7f")) < 40
