from pathlib import Path

import pytest

from forebay.cli.accounting import Accounts, is_settled
from forebay.cli.offers import Rejected, Report
from forebay.client import Tally
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


def peer(name="east", **counters):
    return pb.PeerStatus(name=name, counters=pb.PeerCounters(**counters))


def accounts(tally, *peers, files=10, rejected=()):
    report = Report([Path(f"{number}.article") for number in range(files)])
    report.tally = tally
    report.rejected = list(rejected)
    return Accounts(files, report, peers)


ALL = Tally(offered=10, accepted=10)


def test_all_is_well_when_every_peer_has_what_it_wants():
    peers = peer(offered=10, accepted=8, refused=2), peer("west", offered=3, accepted=3)
    assert accounts(ALL, *peers).problems() == []


def test_articles_that_nobody_wants_or_that_were_seen_are_no_problem():
    assert accounts(Tally(offered=10, accepted=2, duplicate=5, no_peer=3)).problems() == []


def test_what_did_not_reach_a_peer_is_told_by_column():
    found = accounts(ALL, peer(offered=10, accepted=5, rejected=1, deferred=2, dead_lettered=1, queued=1)).problems()
    assert found == [
        "east: 5 of 10 articles did not reach it: 1 rejected, 2 deferred, 1 dead lettered, 1 queued",
    ]


def test_columns_that_do_not_add_up_are_told():
    assert accounts(ALL, peer(offered=10, accepted=9)).problems() == [
        "east: the columns add up to 9, not to the 10 offered"
    ]


def test_articles_without_a_verdict_are_told():
    assert accounts(Tally(offered=8, accepted=7)).problems() == ["3 of 10 articles have no verdict"]


def test_rejected_articles_are_told_with_their_files():
    rejected = Rejected("7.article", "<a@b>", "header From is missing")
    found = accounts(Tally(offered=10, accepted=9, rejected=1), rejected=[rejected]).problems()
    assert found == ["7.article was rejected: header From is missing"]


@pytest.mark.parametrize("column", ["deferred", "queued", "in_flight"])
def test_nothing_is_settled_while_something_waits(column):
    assert is_settled([peer(offered=2, accepted=1, dropped=1)])
    assert not is_settled([peer(offered=1, accepted=1), peer(**{column: 1})])


def test_the_printed_tables_leave_out_rare_columns_without_figures(capsys):
    accounts(ALL, peer(offered=10, accepted=9, expired=1)).print()
    printed = capsys.readouterr().out
    assert "expired" in printed
    assert "dropped" not in printed
    assert "Missing:" in printed


def test_the_plain_form_has_everything():
    found = accounts(ALL, peer(offered=10, accepted=10)).plain()
    assert found["articles"]["accepted"] == 10
    assert found["peers"][0]["dead_lettered"] == 0
    assert found["problems"] == []
