import pytest

from forebay.conduit.core.wire.properties import (
    DEFAULT_QUALITY,
    Durability,
    PropertyId,
    Quality,
    number_property,
    property_number,
    property_value,
    quality_of,
    quality_properties,
)


def test_a_property_that_is_not_there_has_its_default():
    assert property_number((), PropertyId.NUMBER_BITS, 14) == 14


def test_the_first_of_several_counts():
    assert property_value(((2, b"a"), (4, b"b"), (2, b"c")), 2) == b"a"


def test_a_number_may_have_more_behind_it():
    assert property_number(((4, b"\x1c\x00\x00"),), PropertyId.NUMBER_BITS, 14) == 28


@pytest.mark.parametrize("value", [b"", b"\x80", b"\x80\x00"], ids=["empty", "cut", "padded"])
def test_a_value_that_is_no_number_is_told(value: bytes):
    assert property_number(((4, value),), PropertyId.NUMBER_BITS, 14) is None


@pytest.mark.parametrize("reliable", [True, False])
@pytest.mark.parametrize("durability", Durability)
def test_quality_goes_into_properties_and_back(reliable: bool, durability: Durability):
    quality = Quality(reliable, durability)
    assert quality_of(quality_properties(quality)) == quality


def test_the_default_quality_takes_no_property():
    assert quality_properties(DEFAULT_QUALITY) == ()


def test_what_properties_do_not_tell_is_from_the_default():
    default = Quality(False, Durability.TRANSIENT)
    assert quality_of((number_property(PropertyId.DURABILITY, 2),), default) == Quality(False, Durability.PERSISTENT)


@pytest.mark.parametrize(
    "wrong",
    [(6, b"\x02"), (6, b""), (8, b"\x03"), (8, b"\xff")],
    ids=["reliability 2", "no value", "durability 3", "cut"],
)
def test_a_quality_that_is_none_of_the_known_is_told(wrong: tuple[int, bytes]):
    assert quality_of((wrong,)) is None
