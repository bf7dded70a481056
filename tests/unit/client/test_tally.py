from forebay.client import Outcome, Tally, Verdict


def test_runs_of_verdicts_are_counted_by_outcome():
    tally = Tally(offered=20)
    for outcome, count in (("ACCEPTED", 7), ("DUPLICATE", 5), ("NO_PEER", 3), ("REJECTED", 1), ("ACCEPTED", 2)):
        tally.count(Verdict(count=count, outcome=Outcome.Value(f"OUTCOME_{outcome}")))
    assert tally == Tally(offered=20, accepted=9, duplicate=5, no_peer=3, rejected=1)
    assert tally.judged == 18
