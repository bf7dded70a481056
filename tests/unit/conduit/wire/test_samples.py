"""Samples in bulk are the same as one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.encoder import encode
from forebay.conduit.core.wire.header import S
from forebay.conduit.core.wire.messages import Data, Scout
from forebay.conduit.core.wire.samples import encode_samples, read_samples
from forebay.conduit.core.wire.vle import vle

IDS = st.one_of(st.integers(-70, 70), st.integers(-(1 << 63), (1 << 63) - 1))
NUMBERS = st.one_of(
    st.integers(0, 300), st.integers(0, (1 << 28) - 1), st.sampled_from([127, 128, 16383, 16384, 2097152])
)
PAYLOADS = st.one_of(st.binary(max_size=20), st.sampled_from([bytes(127), bytes(128), bytes(16383), bytes(16384)]))
SAMPLES = st.builds(Data, st.just(2), st.booleans(), st.booleans(), NUMBERS, IDS, st.none() | IDS, PAYLOADS)


def encoded(samples: list[Data]) -> bytes:
    out = bytearray.fromhex("b3")
    for sample in samples:
        encode(out, sample)
    return bytes(out)


@given(st.lists(SAMPLES, max_size=6))
def test_what_is_encoded_is_decoded(samples: list[Data]):
    assert decode(encoded(samples), 28) == (samples, None)


def plainly(octets: bytes, numbers: int) -> tuple[list[Data], int]:
    """Samples without a second id read with no thought of speed, up to the first that is none; and where that is."""
    samples, at = [], 0
    while at < len(octets) and octets[at] & 0x9F == 7:
        fields, next = [], at + 1
        for _ in range(3):
            end = next
            while octets[end : end + 1] > b"\x7f":
                end += 1
            septets = octets[next : end + 1]
            if not septets or septets[-1] > 0x7F or (len(septets) > 1 and not septets[-1]):
                return samples, at
            fields.append(sum((septet & 0x7F) << 7 * place for place, septet in enumerate(septets)))
            next = end + 1
        number, wire_id, length = fields
        if number >= numbers or wire_id >= 1 << 64 or next + length > len(octets):
            return samples, at
        rid, flags = ~(wire_id // 2) if wire_id % 2 else wire_id // 2, octets[at]
        samples.append(Data(0, bool(flags & 0x40), bool(flags & S), number, rid, None, octets[next : next + length]))
        at = next + length
    return samples, at


@given(st.lists(SAMPLES, max_size=3), st.integers(0, 40), st.binary(max_size=3), st.sampled_from([14, 28]))
def test_damaged_samples_are_read_as_far_as_they_are_sound(samples: list[Data], place: int, damage: bytes, bits: int):
    octets = bytearray(encoded(samples)[1:])
    octets[place : place + len(damage)] = damage
    expected, end = plainly(bytes(octets), 1 << bits)
    messages, malformed = decode(octets, bits)
    assert messages[: len(expected)] == expected
    if end == len(octets):
        assert malformed is None
    elif octets[end] & 0x9F == 7:
        assert malformed is not None
        assert malformed.offset == end


@pytest.mark.parametrize(
    "number", [0, 127, 128, 16383, 16384, (1 << 21) - 1, 1 << 21, (1 << 28) - 1], ids=lambda number: f"number {number}"
)
def test_numbers_of_every_length_are_read_in_bulk(number: int):
    (octets,) = encode_samples([vle(number)], 300, [bytes(200)])
    messages: list = []
    assert read_samples(octets * 2, 0, 3, 1 << 28, messages) == 2 * len(octets)
    assert messages == [Data(3, True, False, number, 300, None, bytes(200))] * 2


@pytest.mark.parametrize(
    "octets",
    [
        pytest.param("670000", id="cut before the length"),
        pytest.param("67", id="cut before the number"),
        pytest.param("6700020535", id="cut within the payload"),
        pytest.param("6780000200", id="padded number"),
        pytest.param("6700800000", id="padded id"),
        pytest.param("670002800000", id="padded length"),
        pytest.param("6780808080010200", id="number of five octets"),
        pytest.param("6780800102" + "00", id="number beyond the limit"),
        pytest.param("6700808001" + "00", id="id of three octets"),
        pytest.param("c700020400", id="second id"),
        pytest.param("0105", id="another message"),
    ],
)
def test_what_is_not_plain_is_left_to_the_general_way(octets: str):
    messages: list = []
    good = bytes.fromhex("670002020135")
    assert read_samples(good + bytes.fromhex(octets), 0, 0, 1 << 14, messages) == len(good)
    assert len(messages) == 1


def test_other_messages_may_stand_between():
    assert decode(bytes.fromhex("67000200010567010200"), 14) == (
        [Data(0, True, True, 0, 1, None, b""), Scout(5), Data(0, True, True, 1, 1, None, b"")],
        None,
    )


def test_samples_are_encoded_each_for_itself():
    samples = encode_samples([vle(0), vle(128)], 1, [b"\x015", b""])
    assert [sample.hex() for sample in samples] == ["470002020135", "4780010200"]


def test_an_acknowledgement_is_asked_for_by_one_bit():
    sample = bytearray(encode_samples([vle(0)], 1, [b"\x015"])[0])
    sample[0] |= S
    assert sample.hex() == "670002020135"


def test_unreliable_samples_are_told_by_their_first_octet():
    assert encode_samples([vle(0)], ~1, [b"x"], reliable=False) == [bytes.fromhex("0700030178")]


def test_each_sample_needs_a_number():
    with pytest.raises(ValueError, match="longer"):
        encode_samples([vle(0)], 1, [b"a", b"b"])
