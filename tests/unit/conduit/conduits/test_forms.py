import pytest

from forebay.conduit.core.conduits.forms import MESSAGE_FORM, DataForm, within
from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.wire.declarations import SubscriberDeclaration
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.messages import Declare, WriteData

NUMBERS = Numbers(14)


@pytest.mark.parametrize("reliable", [True, False], ids=["reliable", "unreliable"])
def test_payloads_become_samples_with_rising_numbers(reliable):
    encoded = DataForm(300, reliable=reliable).encode((1 << 14) - 1, NUMBERS, [b"a", b"bc"])
    messages, _ = decode(b"".join(encoded), 14)
    assert [(each.number, each.rid, each.reliable, each.payload) for each in messages] == [
        (16383, 300, reliable, b"a"),
        (0, 300, reliable, b"bc"),
    ]


def test_messages_get_their_numbers():
    declare = Declare(2, False, True, 0, (SubscriberDeclaration(1),))
    encoded = MESSAGE_FORM.encode(16384 + 200, NUMBERS, [declare, declare])
    messages, _ = decode(b"\xb3" + b"".join(encoded), 14)
    assert messages == [declare._replace(number=200), declare._replace(number=201)]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 1400])
def test_the_largest_one_is_as_large_as_it_can_become(size):
    form, payload = DataForm(5, reliable=True), b"x" * size
    assert form.largest([b"", payload], 2) == len(form.encode(16383, NUMBERS, [payload])[0])
    message = WriteData(0, True, False, 0, "/a", payload)
    assert MESSAGE_FORM.largest([message], 2) == len(MESSAGE_FORM.encode(16383, NUMBERS, [message])[0])


@pytest.mark.parametrize(("octets", "count"), [(0, 0), (2, 0), (3, 1), (7, 2), (8, 3), (9, 3)])
def test_what_is_within_so_many_octets(octets, count):
    messages = [b"123", b"12", b"123"]
    assert list(within(messages, octets)) == messages[:count]
