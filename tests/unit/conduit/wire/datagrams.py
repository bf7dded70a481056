"""Datagrams as they were seen between two zhe programs, a message of every other kind, and helpers to write them."""

from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    Commit,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    ForgetToken,
    Period,
    PublisherDeclaration,
    ResourceDeclaration,
    Result,
    ResultStatus,
    SelectionDeclaration,
    SubscriberDeclaration,
    SubscriptionMode,
    TokenDeclaration,
)
from forebay.conduit.core.wire.encoder import conduit_marker, encode
from forebay.conduit.core.wire.messages import (
    Accept,
    AckNack,
    Close,
    Data,
    Declare,
    Hello,
    KeepAlive,
    Message,
    Open,
    Ping,
    Pong,
    Scout,
    Synch,
    WriteData,
)
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Fragment, Migrate, Pull, Query, Reply

OPENER = bytes.fromhex("ded2e47b41154fe0c4a6bd5c441159db")
ACCEPTER = bytes.fromhex("502556d286b9d13a22369e99e67e7503")
GROUP = "udp/239.255.0.1:7447"
AUTHENTICATION = ((12, bytes((2, 3))),)
PUSH = (SubscriberDeclaration(1),)

CAPTURED: dict[str, tuple[str, Message]] = {
    "scout": ("0105", Scout(5)),
    "hello": ("020401147564702f3233392e3235352e302e313a37343437", Hello(4, (GROUP,))),
    "open": (
        "230110ded2e47b41154fe0c4a6bd5c441159db3201147564702f3233392e3235352e302e313a37343437010c020203",
        Open(1, OPENER, 50, (GROUP,), AUTHENTICATION),
    ),
    "accept": (
        "2410ded2e47b41154fe0c4a6bd5c441159db10502556d286b9d13a22369e99e67e750332010c020203",
        Accept(OPENER, ACCEPTER, 50, AUTHENTICATION),
    ),
    "close": ("0510ded2e47b41154fe0c4a6bd5c441159db00", Close(OPENER, 0)),
    "declare": ("b3460001030201", Declare(2, False, True, 0, PUSH)),
    "declare, repeated": ("b3660001030201", Declare(2, True, True, 0, PUSH)),
    "synch of conduit 2": ("b3ee0101", Synch(2, True, True, 1, 1)),
    "synch of conduit 0": ("ee0603", Synch(0, True, True, 6, 3)),
    "nack": ("b32f0000", AckNack(2, 0, 0)),
    "ack": ("b30f01", AckNack(2, 1)),
    "ack of conduit 0": ("0f02", AckNack(0, 2)),
    "sample": ("670002020135", Data(0, True, True, 0, 1, None, b"\x015")),
    "longer sample": ("67040203023130", Data(0, True, True, 4, 1, None, b"\x0210")),
}

OTHERS: dict[str, tuple[str, Message]] = {
    "scout with properties": ("21040102010a", Scout(4, ((2, b"\x0a"),))),
    "hello without locators": ("020100", Hello(1)),
    "keepalive": ("1002beef", KeepAlive(b"\xbe\xef")),
    "ping": ("0cb960", Ping(12345)),
    "pong": ("0db960", Pong(12345)),
    "synch of nothing": ("0e05", Synch(0, False, False, 5)),
    "nack of three": ("2f8f6405", AckNack(0, 12815, 5)),
    "conduit 1": ("930f01", AckNack(1, 1)),
    "conduit 4": ("f30f01", AckNack(4, 1)),
    "conduit 5": ("13050f01", AckNack(5, 1)),
    "conduit 255": ("13ff010f01", AckNack(255, 1)),
    "unreliable sample": ("07000400", Data(0, False, False, 0, 2, None, b"")),
    "sample of another resource": ("c7010206017a", Data(0, True, False, 1, 1, 3, b"z")),
    "sample of a selection": ("4701030178", Data(0, True, False, 1, ~1, None, b"x")),
    "sample by URI": ("4902042f612f620178", WriteData(0, True, False, 2, "/a/b", b"x")),
    "sample by URI, unreliable": ("0902022f6100", WriteData(0, False, False, 2, "/a", b"")),
    "resource": ("0600010102022f61", Declare(0, False, False, 0, (ResourceDeclaration(1, "/a"),))),
    "resource with properties": (
        "0600012102022f6101060100",
        Declare(0, False, False, 0, (ResourceDeclaration(1, "/a", ((6, b"\0"),)),)),
    ),
    "publisher": ("0600010204", Declare(0, False, False, 0, (PublisherDeclaration(2),))),
    "publisher with properties": (
        "060001220401080101",
        Declare(0, False, False, 0, (PublisherDeclaration(2, ((8, b"\1"),)),)),
    ),
    "subscriber that pulls": (
        "060001030402",
        Declare(0, False, False, 0, (SubscriberDeclaration(2, SubscriptionMode.PULL),)),
    ),
    "periodic subscriber with properties": (
        "0600012304030ae80764017d0103",
        Declare(
            0,
            False,
            False,
            0,
            (SubscriberDeclaration(2, SubscriptionMode.PERIODIC_PUSH, Period(10, 1000, 100), ((125, b"\3"),)),),
        ),
    ),
    "selection": ("0600010403022f2a", Declare(0, False, False, 0, (SelectionDeclaration(~1, "/*"),))),
    "global selection with properties": (
        "060001a403022f2a010000",
        Declare(0, False, False, 0, (SelectionDeclaration(~1, "/*", True, ((0, b""),)),)),
    ),
    "binding": ("060001050305", Declare(0, False, False, 0, (BindingDeclaration(~1, ~2),))),
    "global binding": ("060001850305", Declare(0, False, False, 0, (BindingDeclaration(~1, ~2, True),))),
    "transaction": ("06000202040607", Declare(0, False, False, 0, (PublisherDeclaration(2), Commit(7)))),
    "result": ("060001070700", Declare(0, False, False, 0, (Result(7, ResultStatus.OK),))),
    "refusal": ("06000107070404", Declare(0, False, False, 0, (Result(7, ResultStatus.AGAIN, 2),))),
    "end of declarations": (
        "060004080209040a060b07",
        Declare(0, False, False, 0, (ForgetResource(1), ForgetPublisher(2), ForgetSubscriber(3), ForgetSelection(~3))),
    ),
}

OWN: dict[str, tuple[str, Message]] = {
    "batch": ("480102020161026263", BatchData(0, True, False, 1, 1, None, (b"a", b"bc"))),
    "batch of several resources": ("c80102020401610600", BatchData(0, True, False, 1, 1, (2, 3), (b"a", b""))),
    "pull": ("0b0102", Pull(0, False, False, 1, 1)),
    "last pull, of at most five": ("eb010205", Pull(0, True, True, 1, 1, 5)),
    "query": ("0a0109022f2a0178", Query(0, False, 1, 9, "/*", b"x")),
    "reply": ("190109022f610178", Reply(0, False, False, 1, 9, "/a", b"x")),
    "last reply": ("b901090000", Reply(0, True, True, 1, 9, "", b"")),
    "end of a conduit": ("933107", ConduitClose(1, True, 7)),
    "move of all": ("b31401000506", Migrate(2, 1, 0, None, 5, 6)),
    "move of one resource": ("b3340100020506", Migrate(2, 1, 0, 1, 5, 6)),
    "fragment": ("5203024704020178", Fragment(3, 2, Data(0, True, False, 4, 1, None, b"x"))),
    "fragment by URI": ("5203024904022f610178", Fragment(3, 2, WriteData(0, True, False, 4, "/a", b"x"))),
    "liveliness token": ("0600010c05022f61", Declare(0, False, False, 0, (TokenDeclaration(5, "/a"),))),
    "end of a token": ("0600010d05", Declare(0, False, False, 0, (ForgetToken(5),))),
}

ALL = CAPTURED | OTHERS | OWN


def datagram(*messages: Message) -> bytes:
    """Messages of one conduit as a datagram."""
    out = bytearray(conduit_marker(getattr(messages[0], "conduit", 0)))
    for message in messages:
        encode(out, message)
    return bytes(out)
