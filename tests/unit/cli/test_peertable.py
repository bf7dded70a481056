import pytest
from rich.console import Console

from forebay.cli.peertable import PeerTable, shortened
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


def printed(*peers, width, title=""):
    console = Console(width=width)
    with console.capture() as captured:
        console.print(PeerTable(peers, title))
    return [line.rstrip() for line in captured.get().splitlines()]


def peer(name="west", reason="", **counters):
    state = pb.PEER_STATE_BACKING_OFF
    return pb.PeerStatus(name=name, state=state, reason=reason, counters=pb.PeerCounters(**counters))


def test_a_row_has_all_figures_where_there_is_room():
    _, row = printed(peer(offered=12345678, queued=1234567), width=120)
    assert row.split() == ["west", "backing", "off", "12,345,678", "0", "0", "0", "0", "1,234,567", "0", "0"]


def test_eighty_columns_hold_a_name_and_the_figures_of_a_large_feed():
    head, row = printed(
        peer("east-2", offered=12345678, accepted=10345678, refused=1999999, rejected=1234, queued=5), width=80
    )
    assert head.split() == [
        "peer",
        "state",
        "offered",
        "accepted",
        "refused",
        "rejected",
        "deferred",
        "backlog",
        "rate",
    ]
    assert row.split() == ["east-2", "backing", "off", "12M", "10M", "1,999K", "1,234", "0", "0", "0"]


def test_a_long_name_is_folded_and_not_cut():
    _, *rows = printed(peer("news.provider-one.example.com", offered=12345678), width=80)
    assert "".join(row.split()[0] for row in rows) == "news.provider-one.example.com"


def test_title_and_reasons_stand_around_the_table():
    lines = printed(peer(reason="400 later"), peer("east"), width=120, title="now")
    assert (lines[0], lines[-1], len(lines)) == ("now", "west: 400 later", 5)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        pytest.param(99_999, "99,999", id="exact"),
        pytest.param(100_000, "100K", id="thousands"),
        pytest.param(9_999_999, "9,999K", id="rounded down"),
        pytest.param(10_000_000, "10M", id="millions"),
    ],
)
def test_large_numbers_are_shortened(number, text):
    assert shortened(number) == text
