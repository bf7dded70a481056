import pytest

from forebay.conduit.core.errors import NotAgreedError
from forebay.conduit.core.wire.declarations import (
    ForgetPublisher,
    PublisherDeclaration,
    ResourceDeclaration,
    Result,
    SelectionDeclaration,
    SubscriberDeclaration,
    SubscriptionMode,
    TokenDeclaration,
)
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.extras import (
    EXTRAS,
    HISTORY,
    NO_EXTRAS,
    Extra,
    Extras,
    agreed,
    check_agreed,
    extras_of,
    extras_property,
    history_of,
    history_property,
    needed_for,
)
from forebay.conduit.core.wire.messages import Data, Declare, Message, Open

from .datagrams import CAPTURED, OTHERS, OWN, datagram

ALL = Extra(31)
OURS = Extras(ALL, 28, 1 << 20, 2)


def test_extras_travel_in_an_open():
    (message,) = decode(datagram(Open(1, b"x", 50, (), (extras_property(OURS),))), 14)[0]
    assert extras_of(message.properties) == OURS


def test_the_value_is_as_it_is_written_down():
    assert extras_property(OURS) == (123, bytes.fromhex("fb01 1f 1c 808040 02"))


@pytest.mark.parametrize("key", [EXTRAS, HISTORY])
def test_zhe_passes_over_our_properties(key: int):
    assert key % 2 == 1
    assert key < 256


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xfb\x02\x1f\x1c\x00\x02", id="another version"),
        pytest.param(b"\xaa\xbb\x1f\x1c\x00\x02", id="another vendor's"),
        pytest.param(b"\xfb\x01\x1f", id="cut"),
        pytest.param(b"\xfb\x01\x1f\x15\x00\x02", id="21 bits"),
        pytest.param(b"\xfb\x01\x1f\x9c\x00\x00\x02", id="padded"),
    ],
)
def test_what_is_not_ours_counts_as_nothing(value: bytes):
    assert extras_of(((EXTRAS, value),)) == NO_EXTRAS


def test_no_property_counts_as_nothing():
    assert extras_of(()) == NO_EXTRAS


def test_what_a_newer_release_adds_is_passed_over():
    assert extras_of(((EXTRAS, b"\xfb\x01\xff\x01\x1c\x0a\x07\x07"),)) == Extras(ALL, 28, 10, 7)


def test_only_what_both_offer_is_agreed():
    theirs = Extras(Extra.FRAGMENTS | Extra.HISTORY, 14, 100, 3)
    assert agreed(OURS, theirs) == Extras(Extra.FRAGMENTS | Extra.HISTORY, 14, 100, 3)
    assert agreed(theirs, OURS) == Extras(Extra.FRAGMENTS | Extra.HISTORY, 14, 1 << 20, 2)


def test_without_fragments_there_is_no_largest_sample():
    assert agreed(OURS, Extras(Extra.QUERIES, 28, 100, 2)) == Extras(Extra.QUERIES, 28, 0, 2)


def test_long_numbers_are_for_nodes_with_as_many_conduits():
    assert agreed(OURS, OURS._replace(conduits=3)).number_bits == 14


def test_nothing_is_agreed_with_a_peer_that_has_none():
    assert agreed(OURS, NO_EXTRAS) == NO_EXTRAS


@pytest.mark.parametrize(("samples", "properties"), [(3, (history_property(3),)), (0, ()), (0, ((HISTORY, b"\x80"),))])
def test_a_subscriber_asks_for_the_last_samples(samples: int, properties: tuple[tuple[int, bytes], ...]):
    assert history_of(properties) == samples


def declare(*declarations: object, committed: bool = False) -> Declare:
    return Declare(0, False, committed, 0, declarations)


PULLING = SubscriberDeclaration(1, SubscriptionMode.PULL)


@pytest.mark.parametrize(
    ("message", "extra"),
    [
        pytest.param(Data(0, True, False, 0, ~1, None, b""), Extra.QUERIES, id="sample of a selection"),
        pytest.param(Data(0, True, False, 0, 1, 2, b""), Extra(0), id="sample of another resource"),
        pytest.param(declare(ResourceDeclaration(1, "/a"), committed=True), Extra(0), id="resource"),
        pytest.param(declare(SelectionDeclaration(~1, "/*")), Extra.QUERIES, id="selection"),
        pytest.param(declare(PublisherDeclaration(~1)), Extra.QUERIES, id="publisher of a selection"),
        pytest.param(declare(ForgetPublisher(~1)), Extra.QUERIES, id="end of one"),
        pytest.param(declare(Result(0, 0)), Extra(0), id="result"),
        pytest.param(declare(Result(0, 5, ~1)), Extra.QUERIES, id="result of a selection"),
        pytest.param(declare(SubscriberDeclaration(1), committed=True), Extra(0), id="subscriber"),
        pytest.param(declare(PULLING), Extra(0), id="subscriber that pulls, not committed"),
        pytest.param(declare(PULLING, committed=True), Extra.QUERIES, id="subscriber that pulls, committed"),
        pytest.param(declare(TokenDeclaration(1, "/a")), Extra.LIVELINESS, id="token"),
        pytest.param(
            declare(TokenDeclaration(1, "/a"), SelectionDeclaration(~1, "/*")),
            Extra.LIVELINESS | Extra.QUERIES,
            id="token and selection",
        ),
    ],
)
def test_what_a_zhe_program_cannot_take_needs_an_agreement(message: Message, extra: Extra):
    assert needed_for(message) == extra


@pytest.mark.parametrize(("octets", "message"), CAPTURED.values(), ids=CAPTURED.keys())
def test_what_zhe_programs_send_needs_none(octets: str, message: Message):
    assert needed_for(message) == Extra(0)


@pytest.mark.parametrize(("octets", "message"), OWN.values(), ids=OWN.keys())
def test_messages_of_our_own_need_one(octets: str, message: Message):
    assert needed_for(message)


@pytest.mark.parametrize("name", ["scout", "keepalive", "ping", "pong", "resource", "transaction", "refusal"])
def test_the_rest_of_the_protocol_needs_none(name: str):
    assert needed_for((CAPTURED | OTHERS)[name][1]) == Extra(0)


@pytest.mark.parametrize(("octets", "message"), OWN.values(), ids=OWN.keys())
def test_messages_of_our_own_go_to_those_alone_who_agreed(octets: str, message: Message):
    check_agreed(message, OURS)
    with pytest.raises(NotAgreedError, match=f"the peer takes no {type(message).__name__}: it has not agreed on"):
        check_agreed(message, NO_EXTRAS)


def test_what_is_missing_is_named():
    message = declare(TokenDeclaration(1, "/a"), SelectionDeclaration(~1, "/*"))
    with pytest.raises(NotAgreedError, match="has not agreed on liveliness and queries; ask a peer that offers it"):
        check_agreed(message, NO_EXTRAS)
    with pytest.raises(NotAgreedError, match="has not agreed on liveliness;"):
        check_agreed(message, Extras(Extra.QUERIES))


def test_messages_of_the_protocol_go_to_all():
    check_agreed(declare(SubscriberDeclaration(1), committed=True), NO_EXTRAS)
