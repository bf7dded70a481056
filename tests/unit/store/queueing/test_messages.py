"""The messages of a request, as octets and read."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.queueing.intake import Intake
from forebay.store.queueing.messages import Messages, read_batch

plain = st.builds(
    pb.Message, address=st.sampled_from(["", "a", "b", "größe"]), body=st.sampled_from([b"", b"x", b"yy"])
)
full = st.builds(
    pb.Message,
    address=st.sampled_from(["", "a"]),
    body=st.binary(max_size=8),
    headers=st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2),
    ttl_ms=st.one_of(st.none(), st.integers(0, 5)),
    priority=st.integers(0, 2),
    transient=st.booleans(),
    number=st.integers(0, 1 << 63),
)


@given(st.lists(st.one_of(plain, full), min_size=1, max_size=6), st.integers(0, (1 << 64) - 1))
def test_a_request_is_read_as_the_generated_class_reads_it(messages, first):
    batch = read_batch(pb.PublishRequest(publisher="p", first=first, messages=messages).SerializeToString())
    assert (batch.publisher, batch.first) == ("p", first)
    assert batch.messages.read == messages
    assert [pb.Message.FromString(content) for content in batch.messages.contents] == messages


@given(st.lists(st.one_of(plain, full), min_size=1, max_size=4))
def test_columns_are_what_the_messages_say_read_one_by_one_or_not(messages):
    intake = Intake(Messages.of(messages), 1000)
    ttls = [message.ttl_ms if message.HasField("ttl_ms") else None for message in messages]
    assert intake.addresses == [message.address for message in messages]
    assert intake.ttls == (ttls if any(ttl is not None for ttl in ttls) else None)
    assert list(intake.transients) == [message.transient for message in messages]
    kept = [pb.Message.FromString(content) for content in intake.contents]
    assert [(each.body, each.headers) for each in kept] == [(each.body, each.headers) for each in messages]


def test_messages_that_are_alike_need_not_be_read():
    messages = [pb.Message(address="a", body=b"%d" % number) for number in range(5)]
    assert Messages.of(messages).plain_address == "a"
    assert Messages.of([pb.Message(body=b"x")]).plain_address == ""


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pb.Message(address="b", body=b"xxxxxx"), id="another address"),
        pytest.param(pb.Message(address="a", body=b"xxxxxxx"), id="another size"),
        pytest.param(pb.Message(address="a", body=b"xxxx", priority=1), id="another field"),
        pytest.param(pb.Message(address="a"), id="no body"),
    ],
)
def test_messages_that_differ_are_read(other):
    messages = [pb.Message(address="a", body=b"xxxxxx"), other]
    assert Messages.of(messages).plain_address is None
    assert Messages.of(messages[::-1]).plain_address is None


def test_octets_that_are_no_messages_are_found_out():
    sound = pb.Message(address="a", body=b"x").SerializeToString()
    for contents in ([b"\xff"], [sound, b"\xff" * len(sound)], [sound[:-1]]):
        request = b"".join(b"\x1a" + bytes([len(content)]) + content for content in contents)
        with pytest.raises(DecodeError):
            Intake(read_batch(request).messages, 1000)
