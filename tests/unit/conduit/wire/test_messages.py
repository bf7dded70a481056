"""Every message, from octets and back: those of the protocol as zhe programs send them, and our own."""

import pytest

from forebay.conduit.core.wire.declarations import SubscriberDeclaration, SubscriptionMode
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.encoder import conduit_marker
from forebay.conduit.core.wire.header import ID_MASK, OWN_IDS, SEALED
from forebay.conduit.core.wire.messages import Accept, AckNack, Close, Data, Declare, Message, Open, Ping, Scout, Synch

from .datagrams import ALL, CAPTURED, OTHERS, OWN, datagram

CONVERSATION = [
    "0105",
    "020401147564702f3233392e3235352e302e313a37343437",
    "ee0101",
    "2f0000",
    "0f01",
    "0f02",
    "b3460001030201",
    "b3ee0101",
    "b32f0000",
    "2301105a2f44108b95114bdcd869f1fe654cb23201147564702f3233392e3235352e302e313a37343437010c020203",
    "24105a2f44108b95114bdcd869f1fe654cb2100b19edaa5413ef47a67972aaff43b0b432010c020203",
    "b3660001030201",
    "b30f01",
    "670002020135",
    "670002020136",
    "670102020136",
    "670102020137",
    "670202020138",
    "670302020139",
    "67040203023130",
    "67050203023131",
    "ee0301",
    "ee0402",
    "ee0503",
    "ee0604",
    "05105a2f44108b95114bdcd869f1fe654cb200",
]
"""What a publisher and a subscriber of zhe said to each other, without repetitions."""


def decoded(octets: bytes, number_bits: int = 14) -> list[Message]:
    messages, malformed = decode(octets, number_bits)
    assert malformed is None
    return messages


@pytest.mark.parametrize(("octets", "message"), ALL.values(), ids=ALL.keys())
def test_octets_become_the_message(octets: str, message: Message):
    assert decoded(bytes.fromhex(octets)) == [message]


@pytest.mark.parametrize(("octets", "message"), ALL.values(), ids=ALL.keys())
def test_the_message_becomes_the_octets(octets: str, message: Message):
    assert datagram(message).hex() == octets


@pytest.mark.parametrize("octets", CONVERSATION)
def test_a_captured_datagram_is_encoded_as_it_was(octets: str):
    assert datagram(*decoded(bytes.fromhex(octets))).hex() == octets


@pytest.mark.parametrize(("octets", "message"), ALL.values(), ids=ALL.keys())
def test_messages_compare_by_type_too(octets: str, message: Message):
    assert type(decoded(bytes.fromhex(octets))[0]) is type(message)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_datagram_may_be_any_buffer(kind: type):
    payload = decoded(kind(bytes.fromhex("670002020135")))[0].payload
    assert (type(payload), payload) == (bytes, b"\x015")


def test_a_conduit_holds_for_the_rest_of_the_datagram():
    assert decoded(bytes.fromhex("b30f01ee0101930f02")) == [AckNack(2, 1), Synch(2, True, True, 1, 1), AckNack(1, 2)]


@pytest.mark.parametrize(
    ("conduit", "marker"), [(0, ""), (1, "93"), (2, "b3"), (3, "d3"), (4, "f3"), (5, "1305"), (200, "13c801")]
)
def test_conduits_have_the_shortest_marker(conduit: int, marker: str):
    assert conduit_marker(conduit).hex() == marker


def test_session_messages_know_no_conduit():
    assert decoded(bytes.fromhex("b30105")) == [Scout(5)]


@pytest.mark.parametrize(("octets", "message"), [*CAPTURED.values(), *OTHERS.values()])
def test_no_message_of_the_protocol_has_an_id_of_our_own(octets: str, message: Message):
    start = len(conduit_marker(getattr(message, "conduit", 0)))
    assert bytes.fromhex(octets)[start] & ID_MASK not in OWN_IDS


def test_the_ids_of_our_own_are_all_used():
    starts = [(octets, len(conduit_marker(message.conduit))) for octets, message in OWN.values()]
    declare = 6
    used = {bytes.fromhex(octets)[start] & ID_MASK for octets, start in starts} - {declare}
    assert used == OWN_IDS - {SEALED}


@pytest.mark.parametrize(("octets", "message"), [found for name, found in OWN.items() if found[1][0] is not None])
def test_numbered_messages_of_our_own_can_be_asked_alike(octets: str, message: Message):
    assert {type(message.reliable), type(message.s), type(message.number), type(message.conduit)} == {bool, int}


def test_declarations_are_of_the_reliable_channel():
    assert Declare(0, False, False, 0, ()).reliable


@pytest.mark.parametrize("head", [0x01, 0x41, 0x81, 0xC1], ids=hex)
def test_flags_that_a_message_does_not_have_are_ignored(head: int):
    assert decoded(bytes([head, 5])) == [Scout(5)]


def test_an_odd_property_is_kept_and_an_unheard_of_one_passed_over():
    huge = "ffffffffff01"
    assert decoded(bytes.fromhex("2105037b01aa" + huge + "01bb0401cc")) == [Scout(5, ((123, b"\xaa"), (4, b"\xcc")))]


def test_a_mask_longer_than_its_bits_is_cut():
    assert decoded(bytes.fromhex("2f01" + "ff" * 9 + "01")) == [AckNack(0, 1, 0xFFFFFFFF)]


def test_a_mask_of_many_octets_costs_no_more_than_they_do():
    assert decoded(bytes.fromhex("2f01") + b"\x81" * 60_000 + b"\x01") == [AckNack(0, 1, 0x10204081)]


@pytest.mark.parametrize("lease", [0, 1, 50, (1 << 32) - 1])
def test_leases_are_in_units_of_the_wire(lease: int):
    assert decoded(datagram(Accept(b"a", b"b", lease))) == [Accept(b"a", b"b", lease)]


@pytest.mark.parametrize("size", [1, 16])
def test_peer_ids_have_1_to_16_octets(size: int):
    assert decoded(datagram(Close(b"x" * size, 255))) == [Close(b"x" * size, 255)]


def test_a_uri_that_is_none_is_for_others_to_judge():
    (message,) = decoded(bytes.fromhex("490002fffe00"))
    assert message.uri == "\xff\xfe"


def test_another_version_is_for_others_to_judge():
    assert decoded(datagram(Open(9, b"x", 50))) == [Open(9, b"x", 50)]


def test_every_mode_of_a_subscription_passes():
    declarations = tuple(
        SubscriberDeclaration(1, mode) for mode in (SubscriptionMode.PUSH, SubscriptionMode.PUSH_AND_PULL)
    )
    assert decoded(datagram(Declare(0, False, True, 1, declarations)))[0].declarations == declarations


def test_messages_of_all_kinds_fit_into_one_datagram():
    messages = [
        Ping(1),
        Data(0, True, False, 9, 300, None, bytes(200)),
        AckNack(0, 1),
        Data(0, True, True, 10, 1, None, b""),
    ]
    assert decoded(datagram(*messages)) == messages
