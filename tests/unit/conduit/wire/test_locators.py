import pytest

from forebay.conduit.core.wire.locators import Locator, parse_locator


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("udp/239.255.0.1:7447", Locator("udp", "239.255.0.1", 7447)),
        ("tcp/127.0.0.1:1", Locator("tcp", "127.0.0.1", 1)),
        ("udp/[ff02::1]:65535", Locator("udp", "ff02::1", 65535)),
    ],
)
def test_locators_are_read_and_written(text: str, locator: Locator):
    assert (parse_locator(text), str(locator)) == (locator, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "udp",
        "udp/",
        "serial/dev:1",
        "udp/10.0.0.1",
        "udp/10.0.0.1:",
        "udp/10.0.0.1:0",
        "udp/10.0.0.1:65536",
        "udp/10.0.0.1:99999999999999999999",
        "udp/10.0.0.1:x",
        "udp/10.0.0.1:\u0663",
        "udp/host:7447",
        "udp/::1:7447",
        "udp/[10.0.0.1]:7447",
        "udp/10.0.0.1:-1",
    ],
)
def test_what_this_node_cannot_reach_is_passed_over(text: str):
    assert parse_locator(text) is None


@pytest.mark.parametrize(
    ("text", "multicast"), [("udp/239.255.0.1:7447", True), ("udp/[ff02::1]:1", True), ("udp/10.0.0.1:1", False)]
)
def test_groups_are_told_from_nodes(text: str, multicast: bool):
    locator = parse_locator(text)
    assert locator is not None
    assert locator.multicast is multicast
