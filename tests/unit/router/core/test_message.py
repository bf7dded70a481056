import pytest
from google.protobuf.message import DecodeError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.errors import FieldTypeError
from forebay.router.core.flags import Flag
from forebay.router.core.message import Head, Marker, Message, check_fields, decode, encode, plain, plain_opening


def parcel(*contents, **head):
    values = {"sender": "a@x", "recipient": "b@x", "incarnation": 7, "first": 5, "count": len(contents), "ttl": 3}
    return pb.Parcel(**(values | head), messages=b"".join(contents))


def test_plain_messages_are_what_protobuf_makes_of_them():
    octets = plain_opening("hello", 3) + b"abc" + plain_opening("", 0) + plain_opening("x" * 300, 200) + b"y" * 200
    read = pb.Messages.FromString(octets).messages
    assert [(each.name, each.body) for each in read] == [("hello", b"abc"), ("", b""), ("x" * 300, b"y" * 200)]


@pytest.mark.parametrize("correlation", [1, 127, 128, 2**64 - 1])
def test_requests_and_replies_are_what_protobuf_makes_of_them(correlation):
    octets = b"".join(plain("hello", b"abc", correlation) + plain("x" * 300, b"y" * 200, correlation))
    read = pb.Messages.FromString(octets).messages
    assert [(each.name, each.body, each.correlation) for each in read] == [
        ("hello", b"abc", correlation),
        ("x" * 300, b"y" * 200, correlation),
    ]
    assert octets == encode("hello", b"abc", {}, correlation) + encode("x" * 300, b"y" * 200, {}, correlation)


def test_fields_keep_their_types():
    fields = {"n": -(2**63), "r": 0.5, "t": "text", "o": b"\0", "yes": True, "no": False, "one": 1}
    [message] = decode(parcel(encode("hello", b"", fields, 0)))
    assert message.fields == fields
    assert {key: type(value) for key, value in message.fields.items()} == {k: type(v) for k, v in fields.items()}


def test_a_decoded_message_knows_where_it_comes_from():
    first, second = decode(parcel(plain_opening("hello", 2) + b"hi", encode("again", b"x", {}, 9), flags=12))
    assert (first.name, first.body, first.fields, first.correlation) == ("hello", b"hi", {}, 0)
    assert first.marker == Marker("a@x", 7, 5)
    assert str(second.marker) == "a@x#7.6"
    assert second.correlation == 9
    assert second.flags == Flag.NOTIFY_DROP | Flag.URGENT
    assert (second.sender, second.recipient, second.ttl) == ("a@x", "b@x", 3)
    assert repr(first) == "<Message hello from a@x to b@x, 2 octets>"


def test_the_first_few_are_passed_over():
    contents = [plain_opening("m", 1) + str(number).encode() for number in range(4)]
    assert [(each.sequence, each.body) for each in decode(parcel(*contents), 2)] == [(7, b"2"), (8, b"3")]


def test_octets_that_are_no_messages_are_refused():
    with pytest.raises(DecodeError):
        decode(parcel(b"\xff\xff"))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, None, [1], {}], ids=str)
def test_a_value_that_does_not_travel_is_refused(value):
    with pytest.raises(FieldTypeError, match="field size is of type"):
        check_fields({"size": value})


def test_fields_given_directly_are_shown_as_they_are():
    message = Message(Head("a@x", "b@x", 1, 4, 0), 1, "hello", b"", {"n": 1})
    assert message.fields == {"n": 1}


def test_a_kind_of_value_from_the_future_shows_as_empty_text():
    content = pb.Message(name="hello")
    content.fields["later"].SetInParent()
    [message] = decode(parcel(pb.Messages(messages=[content]).SerializeToString()))
    assert message.fields == {"later": ""}
