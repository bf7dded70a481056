"""What is put together by hand is what the generated classes read."""

from hypothesis import given
from hypothesis import strategies as st

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.octets_pb2 import PublishOctets
from forebay.runtime import protowire

NUMBER = pb.Message.DESCRIPTOR.fields_by_name["number"].number
MESSAGES = PublishOctets.DESCRIPTOR.fields_by_name["messages"].number
numbers = st.integers(0, (1 << 64) - 1)


@given(numbers)
def test_a_number_is_read_back(number):
    field = protowire.tag(NUMBER, protowire.VARINT) + protowire.varint(number)
    assert field == (pb.Message(number=number).SerializeToString() or field)
    assert pb.Message.FromString(field).number == number


@given(st.one_of(numbers, st.integers(0, 20_000)), st.integers(0, 400), st.binary(max_size=3))
def test_consecutive_numbers_are_as_one_by_one(first, count, before):
    assert protowire.varints(first, count, before) == [
        before + protowire.varint(number) for number in range(first, first + count)
    ]


@given(st.lists(st.one_of(st.binary(max_size=300), st.integers(0, 70_000).map(bytes)), max_size=20))
def test_a_repeated_field_is_as_the_generated_class_writes_it(contents):
    octets = PublishOctets(messages=contents).SerializeToString()
    assert protowire.repeated(MESSAGES, contents) == octets
