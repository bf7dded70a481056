import pytest

from forebay.cli.accounting import Accounts
from forebay.cli.display import LINE_SECONDS, LineDisplay
from forebay.cli.offers import Report
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


@pytest.fixture
def now(monkeypatch):
    time = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    return time


def accounts(queued, accepted=0):
    counters = pb.PeerCounters(offered=9, queued=queued, accepted=accepted)
    peer = pb.PeerStatus(name="west", state=pb.PEER_STATE_BACKING_OFF, counters=counters)
    return Accounts(9, Report([]), [peer])


def lines(capsys):
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("west")]


def test_a_line_tells_state_and_figures(capsys, now):
    LineDisplay().show(accounts(9))
    assert lines(capsys) == [
        "west backing off: offered 9 accepted 0 refused 0 rejected 0 deferred 0 queued 9 backlog 0 rate 0/s"
    ]


def test_what_has_not_changed_is_not_told_again(capsys, now):
    display = LineDisplay()
    for _ in range(3):
        display.show(accounts(9))
        now[0] += LINE_SECONDS
    assert len(lines(capsys)) == 1


def test_changes_are_told_once_a_second_at_most(capsys, now):
    display = LineDisplay()
    for queued in range(9, 0, -1):
        display.show(accounts(queued))
        now[0] += LINE_SECONDS / 4
    assert len(lines(capsys)) == 3


def test_the_last_state_is_told_in_the_end(capsys, now):
    display = LineDisplay()
    display.show(accounts(9))
    display.show(accounts(0, accepted=9))
    display.end()
    assert "accepted 9" in lines(capsys)[-1]
