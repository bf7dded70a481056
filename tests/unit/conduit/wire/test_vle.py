import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.wire.reader import Reader
from forebay.conduit.core.wire.vle import id_from_wire, id_to_wire, vle, vle_size

SAMPLES = [
    (0, "00"),
    (1, "01"),
    (127, "7f"),
    (128, "8001"),
    (16383, "ff7f"),
    (16384, "808001"),
    (1 << 28, "8080808001"),
]


@pytest.mark.parametrize(("number", "octets"), SAMPLES)
def test_the_lowest_seven_bits_come_first(number: int, octets: str):
    assert vle(number).hex() == octets


@given(st.integers(0, (1 << 64) - 1))
def test_numbers_are_read_as_they_were_written(number: int):
    assert Reader(vle(number), 0).vle("it") == number


@given(st.integers(0, (1 << 64) - 1))
def test_the_size_is_known_beforehand(number: int):
    assert vle_size(number) == len(vle(number))


@pytest.mark.parametrize(("rid", "number"), [(0, 0), (1, 2), (300, 600), (~0, 1), (~1, 3), (~300, 601)])
def test_ids_of_selections_are_odd_on_the_wire_and_negative_inside(rid: int, number: int):
    assert (id_to_wire(rid), id_from_wire(number)) == (number, rid)
