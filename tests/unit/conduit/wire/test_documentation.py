"""The page on the wire format tells what the decoder does."""

import re

import pytest

from conftest import CHECKOUT
from forebay.conduit.core.uri import matches
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.framing import FrameBuffer

PAGE = (CHECKOUT / "docs" / "conduit-wire.md").read_text()
NAMES = {
    "SCOUT": "Scout",
    "HELLO": "Hello",
    "OPEN": "Open",
    "ACCEPT": "Accept",
    "CLOSE": "Close",
    "KEEPALIVE": "KeepAlive",
    "PING": "Ping",
    "PONG": "Pong",
    "CONDUIT": "AckNack",
    "SDATA": "Data",
    "WDATA": "WriteData",
    "SYNCH": "Synch",
    "ACKNACK": "AckNack",
    "DECLARE": "Declare",
    "BDATA": "BatchData",
    "QUERY": "Query",
    "REPLY": "Reply",
    "PULL": "Pull",
    "CONDUIT_CLOSE": "ConduitClose",
    "FRAGMENT": "Fragment",
    "MIGRATE": "Migrate",
}
DECLARATIONS = {
    "resource": "ResourceDeclaration",
    "publisher": "PublisherDeclaration",
    "subscriber": "SubscriberDeclaration",
    "selection": "SelectionDeclaration",
    "binding": "BindingDeclaration",
    "commit": "Commit",
    "result": "Result",
    "forget resource, publisher, subscriber, selection": "ForgetSubscriber",
    "liveliness token, our own": "TokenDeclaration",
    "forget token, our own": "ForgetToken",
}


def rows(title: str) -> dict[str, str]:
    """First and last cell of each row of the tables under all such headings."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for table in re.findall(rf"^\| {title} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
        for line in table.splitlines()
    ]
    return {row[0]: re.findall("`([^`]*)`", row[-1])[0] for row in cells}


def test_all_messages_and_declarations_are_there():
    assert rows("message").keys() == NAMES.keys()
    assert rows("declaration").keys() == DECLARATIONS.keys()


@pytest.mark.parametrize(("name", "octets"), rows("message").items())
def test_the_example_of_a_message_is_one(name: str, octets: str):
    messages, malformed = decode(bytes.fromhex(octets), 14)
    assert ([type(message).__name__ for message in messages], malformed) == ([NAMES[name]], None)


@pytest.mark.parametrize(("name", "octets"), rows("declaration").items())
def test_the_example_of_a_declaration_is_one(name: str, octets: str):
    ((message,), malformed) = decode(bytes.fromhex(octets), 14)
    assert ([type(found).__name__ for found in message.declarations], malformed) == ([DECLARATIONS[name]], None)


@pytest.mark.parametrize(
    "line", re.findall(r"^\| `[^`]*` \| (?:`[^`]*`,? ?)+\| `[^`]*` \|", PAGE, re.MULTILINE), ids=lambda line: line[2:20]
)
def test_examples_of_patterns_hold(line: str):
    pattern, match, other = ([*re.findall("`([^`]*)`", cell)] for cell in line.strip("|").split("|"))
    assert all(matches(pattern[0], uri) for uri in match)
    assert not matches(pattern[0], other[0])


def test_the_example_of_a_stream_holds_a_datagram():
    (octets,) = re.findall("1 to 65535: `([0-9a-f]+)`", PAGE)
    assert FrameBuffer().feed(bytes.fromhex(octets)) == [bytes.fromhex("b30f01")]
